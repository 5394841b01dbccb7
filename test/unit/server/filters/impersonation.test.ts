import { expect } from 'chai'
import type { Authorizer } from '../../../../src/meta/authorizer.ts'
import type { User } from '../../../../src/meta/context.ts'
import { PlainTextError } from '../../../../src/meta/plain-text-error.ts'
import { StatusError } from '../../../../src/meta/status.ts'
import { type ImpersonationMode, withImpersonation } from '../../../../src/server/filters/impersonation.ts'
import { filterContext, rejection, runFilter } from '../../../support/filter-context.ts'

describe('withImpersonation', () => {
  const alice: User = { name: 'alice', groups: [] }
  const asked: string[] = []
  const authorizer = (decision: 'allow' | 'deny'): Authorizer => ({
    authorize: async (user, { verb, resource, name }) => {
      asked.push(`${user.name} ${verb} ${resource} ${name}`)
      return { decision, reason: '' }
    },
  })
  beforeEach(() => {
    asked.length = 0
  })

  it('continues immediately without impersonation headers', async () => {
    const ctx = filterContext({ user: alice })
    let passed = false
    const done = runFilter(withImpersonation(authorizer('deny'), 'plain'), ctx, async () => {
      passed = true
    })
    expect(passed).to.equal(true)
    await done
    expect(ctx.state.exchange.user).to.equal(alice)
    expect(asked).to.deep.equal([])
  })
  it('replaces the user', async () => {
    const ctx = filterContext({ user: alice, headers: { 'Impersonate-User': 'bob', 'Impersonate-Group': 'dev' } })
    let seen: User | undefined
    await runFilter(withImpersonation(authorizer('allow'), 'plain'), ctx, async () => {
      seen = ctx.state.exchange.user
    })
    expect(seen).to.deep.equal({ name: 'bob', groups: ['dev', 'system:authenticated'] })
    expect(asked).to.deep.equal(['alice impersonate users bob', 'alice impersonate groups dev'])
  })
  it('refuses headers without a user: in plain text before 1.35', async () => {
    const tell = (mode: ImpersonationMode) =>
      rejection(
        runFilter(withImpersonation(authorizer('allow'), mode), filterContext({ user: alice, headers: { 'Impersonate-Group': 'dev' } })),
      )
    const message = 'requested [{Group  dev    }] without impersonating a user'
    expect(await tell('early'))
      .to.be.instanceOf(PlainTextError)
      .and.include({ code: 500, message })
    expect(await tell('plain'))
      .to.be.instanceOf(StatusError)
      .and.include({ code: 400, message })
    expect(await tell('constrained'))
      .to.be.instanceOf(StatusError)
      .and.include({ code: 400 })
  })
  it('throws 403 if the user may not impersonate', async () => {
    const ctx = filterContext({ user: alice, headers: { 'Impersonate-User': 'bob' } })
    let passed = false
    const error = await rejection(
      runFilter(withImpersonation(authorizer('deny'), 'plain'), ctx, async () => {
        passed = true
      }),
    )
    expect(error).to.include({ code: 403 })
    expect(passed).to.equal(false)
    expect(ctx.state.exchange.user).to.equal(alice)
  })
})
