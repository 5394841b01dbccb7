import { expect } from 'chai'
import type { Identity } from '../../../../src/auth/authn/authenticator.ts'
import type { User } from '../../../../src/meta/context.ts'
import { withAuthentication, withUser } from '../../../../src/server/filters/authentication.ts'
import { filterContext, rejection, runFilter } from '../../../support/filter-context.ts'

const alice: User = { name: 'alice', groups: [] }

describe('withAuthentication', () => {
  const counted: Identity[] = []
  const metrics = { authenticated: (identity: Identity) => void counted.push(identity) }
  beforeEach(() => {
    counted.length = 0
  })

  for (const [when, found] of [
    ['synchronously', alice],
    ['later', Promise.resolve(alice)],
  ] as const)
    it(`sets the user of the request ${when}`, async () => {
      const ctx = filterContext()
      let seen: User | undefined
      await runFilter(
        withAuthentication(() => found, metrics),
        ctx,
        async () => {
          seen = ctx.state.exchange.user
        },
      )
      expect(seen).to.equal(alice)
      expect(counted).to.deep.equal([alice])
    })
  it('passes headers and connection to the authenticator', async () => {
    const ctx = filterContext({ headers: { Authorization: 'Bearer x' } })
    await runFilter(
      withAuthentication(({ headers, socket }) => {
        expect([headers.authorization, socket]).to.deep.equal(['Bearer x', ctx.req.socket])
        return alice
      }, metrics),
      ctx,
    )
  })
  for (const found of [undefined, 'rejected', Promise.resolve(undefined), Promise.resolve('rejected')] as (Identity | Promise<Identity>)[])
    it(`throws 401 ${found instanceof Promise ? 'later ' : ''}if the request is not authenticated`, async () => {
      let passed = false
      const error = await rejection(
        runFilter(
          withAuthentication(() => found, metrics),
          filterContext(),
          async () => {
            passed = true
          },
        ),
      )
      expect(error).to.include({ code: 401 })
      expect(passed).to.equal(false)
      expect(counted).to.deep.equal([await found])
    })
})

describe('withUser', () => {
  it('sets the same user for every request', async () => {
    const ctx = filterContext()
    await runFilter(withUser(alice), ctx)
    expect(ctx.state.exchange.user).to.equal(alice)
  })
})
