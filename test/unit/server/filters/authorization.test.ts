import { expect } from 'chai'
import type { AuthorizationDecision, Authorizer } from '../../../../src/meta/authorizer.ts'
import type { RequestAttributes, User } from '../../../../src/meta/context.ts'
import { withAuthorization } from '../../../../src/server/filters/authorization.ts'
import { filterContext, rejection, runFilter } from '../../../support/filter-context.ts'

describe('withAuthorization', () => {
  const alice: User = { name: 'alice', groups: ['dev'] }
  const counted: string[] = []
  const metrics = { authorized: (decision: string) => void counted.push(decision) }
  const asked: { user: User; attributes: RequestAttributes }[] = []
  const authorizer = (decision: AuthorizationDecision['decision'], reason = ''): Authorizer => ({
    authorize: async (user, attributes) => {
      asked.push({ user, attributes })
      return { decision, reason }
    },
  })
  beforeEach(() => {
    counted.length = 0
    asked.length = 0
  })

  it('authorizes the same value that is served', async () => {
    const ctx = filterContext({ user: alice })
    let passed = false
    await runFilter(withAuthorization(authorizer('allow'), metrics), ctx, async () => {
      passed = true
    })
    expect(passed).to.equal(true)
    expect(asked).to.have.length(1)
    expect(asked[0]?.user).to.equal(alice)
    expect(asked[0]?.attributes).to.equal(ctx.state.exchange.info)
    expect(counted).to.deep.equal(['allow'])
  })
  for (const decision of ['deny', 'no opinion'] as const)
    it(`throws 403 for the decision ${decision}`, async () => {
      let passed = false
      const error = await rejection(
        runFilter(withAuthorization(authorizer(decision, 'because'), metrics), filterContext({ user: alice }), async () => {
          passed = true
        }),
      )
      expect(error).to.include({
        code: 403,
        message: 'things "x" is forbidden: User "alice" cannot get resource "things" in API group "" in the namespace "ns": because',
      })
      expect(passed).to.equal(false)
      expect(counted).to.deep.equal([decision])
    })
  it('throws the error of an authorizer that does not allow', async () => {
    const failing: Authorizer = { authorize: async () => ({ decision: 'no opinion', reason: 'r', error: 'nobody there' }) }
    const error = await rejection(runFilter(withAuthorization(failing, metrics), filterContext({ user: alice }), async () => {}))
    expect(error).to.include({ code: 500, message: 'nobody there' })
    expect(counted).to.deep.equal(['error'])
  })
  it('ignores an error of an authorizer that allows', async () => {
    const failing: Authorizer = { authorize: () => Promise.reject(new Error('oops')) }
    let passed = false
    const error = await rejection(
      runFilter(withAuthorization(failing, metrics), filterContext({ user: alice }), async () => {
        passed = true
      }),
    )
    expect(error).to.have.property('message', 'oops')
    expect([passed, counted]).to.deep.equal([false, ['error']])
  })
  it('does not call the authorizer for system:masters', async () => {
    let passed = false
    const done = runFilter(
      withAuthorization(authorizer('deny'), metrics),
      filterContext({ user: { name: 'admin', groups: ['system:masters'] } }),
      async () => {
        passed = true
      },
    )
    expect(passed).to.equal(true)
    await done
    expect(asked).to.deep.equal([])
    expect(counted).to.deep.equal(['allow'])
  })
})
