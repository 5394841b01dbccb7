import { expect } from 'chai'
import type { RoleBinding } from '../../../../../src/api/rbac/v1.types.ts'
import { joinAuthorizers } from '../../../../../src/auth/authz/authorizers.ts'
import { rbacAuthorizer } from '../../../../../src/auth/authz/rbac/authorizer.ts'
import { RuleIndex } from '../../../../../src/auth/authz/rbac/rule-index.ts'
import { isSteps, runAtOnce } from '../../../../../src/lib/steps.ts'
import { parseRequestInfo } from '../../../../../src/server/filters/request-info.ts'
import { countedSteps } from '../../../../support/counted-steps.ts'

const MANY = 5000
const signal = new AbortController().signal

const bindingOf = (users: readonly string[], name = 'b', role = 'reader'): RoleBinding => ({
  kind: 'ClusterRoleBinding',
  apiVersion: 'rbac.authorization.k8s.io/v1',
  metadata: { name },
  roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role },
  subjects: users.map(user => ({ kind: 'User', name: user })),
})
const users = (from: number, to: number): string[] => Array.from({ length: to - from }, (_, i) => `u${from + i}`)

function setUp() {
  const index = new RuleIndex()
  const authorizer = rbacAuthorizer(index)
  index.putRole({
    kind: '',
    apiVersion: '',
    metadata: { name: 'reader' },
    rules: [{ verbs: ['get'], apiGroups: [''], resources: ['pods'] }],
  })
  const info = parseRequestInfo('GET', '/api/v1/namespaces/a/pods/p', () => new URLSearchParams())
  const ask = (name: string) => authorizer.authorize({ name, groups: [] }, info, signal)
  const mayRead = async (name: string): Promise<boolean> => (await ask(name)).decision === 'allow'
  return { index, ask, mayRead }
}

/** Counts the turns of the event loop that begin until `work` is done. */
async function turnsOf(work: () => Promise<unknown>): Promise<number> {
  let turns = 0
  let on = true
  const count = (): void => {
    turns++
    if (on) setImmediate(count)
  }
  setImmediate(count)
  await work()
  on = false
  return turns
}

describe('RuleIndex', () => {
  it('puts a binding of many subjects in steps, and keeps the rights of those that remain', async () => {
    const { index, mayRead } = setUp()
    index.putBinding(bindingOf(users(0, MANY)))
    const steps = index.putBindingInSteps(bindingOf(users(10, MANY + 10)))
    let count = 0
    while (!steps.next().done) {
      count++
      expect(await mayRead('u10'), `step ${count}`).to.equal(true)
      expect(await mayRead(`u${MANY - 1}`), `step ${count}`).to.equal(true)
    }
    expect(count).to.be.at.least(10)
    expect(await Promise.all(['u0', 'u9', 'u10', `u${MANY + 9}`].map(mayRead))).to.deep.equal([false, false, true, true])
  })

  it('keeps a subject that another binding has', async () => {
    const { index, mayRead } = setUp()
    for (const name of ['one', 'two', 'three']) index.putBinding(bindingOf(['jane', 'jane'], name))
    for (const name of ['two', 'one']) {
      runAtOnce(index.removeBinding('', name))
      expect(await mayRead('jane')).to.equal(true)
    }
    runAtOnce(index.putBindingInSteps(bindingOf([], 'three')))
    expect(await mayRead('jane')).to.equal(false)
    index.putBinding(bindingOf(['jane'], 'three'))
    expect(await mayRead('jane')).to.equal(true)
    runAtOnce(index.removeBinding('', 'three'))
    expect(await mayRead('jane')).to.equal(false)
  })

  for (const firstEndsFirst of [true, false])
    it(`has the subjects of the second of two concurrent puts of a binding if the ${firstEndsFirst ? 'first' : 'second'} ends first`, async () => {
      const { index, mayRead } = setUp()
      index.putBinding(bindingOf(users(0, MANY)))
      const first = index.putBindingInSteps(bindingOf(users(MANY, 2 * MANY)))
      for (let i = 0; i < 3; i++) first.next()
      const second = index.putBindingInSteps(bindingOf(users(2 * MANY - 2, 3 * MANY)))
      for (let i = 0; i < 3; i++) second.next()
      for (const put of firstEndsFirst ? [first, second] : [second, first]) runAtOnce(put)
      const allowed = (await Promise.all(users(0, 3 * MANY).map(mayRead))).map((may, i) => (may ? i : -1)).filter(i => i >= 0)
      expect(allowed).to.deep.equal(Array.from({ length: MANY + 2 }, (_, i) => 2 * MANY - 2 + i))
    })

  it('has no subjects of a binding that is removed while it is replaced', async () => {
    const { index, mayRead } = setUp()
    index.putBinding(bindingOf(users(0, MANY)))
    for (const count of [3, 15]) {
      const steps = index.putBindingInSteps(bindingOf(users(10, MANY + 10)))
      for (let i = 0; i < count; i++) steps.next()
      runAtOnce(index.removeBinding('', 'b'))
      runAtOnce(steps)
      expect((await Promise.all(users(0, MANY + 10).map(mayRead))).includes(true)).to.equal(false)
    }
  })

  it('removes a binding of many subjects in steps, and takes their rights in the first one', async () => {
    const { index, mayRead } = setUp()
    index.putBinding(bindingOf(users(0, MANY)))
    index.putBinding(bindingOf(['u7'], 'other'))
    const steps = index.removeBinding('', 'b')
    let count = 0
    while (!steps.next().done) {
      count++
      expect(await Promise.all(['u0', 'u7', `u${MANY - 1}`].map(mayRead)), `step ${count}`).to.deep.equal([false, true, false])
    }
    expect(count).to.be.at.least(8)
    expect(await mayRead(`u${MANY - 1}`)).to.equal(false)
    index.putBinding(bindingOf(users(0, 3)))
    expect(await Promise.all(['u0', 'u3'].map(mayRead))).to.deep.equal([true, false])
  })

  it('lists the rules of very many bindings in steps, and names the first of very many roles that do not exist', () => {
    const { index } = setUp()
    const rules = Array.from({ length: 1000 }, (_, i) => ({ verbs: ['get'], apiGroups: [''], resources: [`r${i}`] }))
    index.putRole({ kind: '', apiVersion: '', metadata: { name: 'wide' }, rules })
    for (let i = 0; i < 20; i++) index.putBinding(bindingOf(['jane'], `b${i}`, 'wide'))
    for (let i = 0; i < 1000; i++) index.putBinding(bindingOf(['jane'], `c${i}`, `gone${i}`))
    const authorizer = joinAuthorizers([rbacAuthorizer(index), rbacAuthorizer(index)])
    const known = authorizer.rulesFor?.({ name: 'jane', groups: [] }, 'a')
    if (!known || !isSteps(known)) throw new Error('not in steps')
    const { result, yields } = countedSteps(known)
    expect(result.resourceRules).to.have.length(40_000)
    expect(yields).to.be.at.least(70)
    expect(result.errors.join()).to.include('"gone0" not found').and.not.include('"gone999" not found')
  })

  it('lets other work run while rules of very many bindings are matched', async () => {
    const { index, ask } = setUp()
    const rules = Array.from({ length: 10_000 }, (_, i) => ({ verbs: ['get'], apiGroups: [''], resources: [`r${i}`] }))
    index.putRole({ kind: '', apiVersion: '', metadata: { name: 'wide' }, rules })
    for (let i = 0; i < 300; i++) index.putBinding(bindingOf(['jane'], `b${i}`, 'wide'))
    expect(await turnsOf(async () => expect((await ask('jane')).decision).to.equal('no opinion'))).to.be.at.least(5)
  })

  it('lets other work run while roles of very many bindings are absent', async () => {
    const { index, ask } = setUp()
    for (let i = 0; i < 100_000; i++) index.putBinding(bindingOf(['jane'], `b${i}`, `gone${i}`))
    expect(await turnsOf(async () => expect((await ask('jane')).decision).to.equal('no opinion'))).to.be.at.least(5)
  })

  it('names the first of very many roles that do not exist', async () => {
    const { index, ask } = setUp()
    for (let i = 0; i < 1000; i++) index.putBinding(bindingOf(['jane'], `b${i}`, `gone${i}`))
    const { reason } = await ask('jane')
    expect(reason).to.include('"gone0" not found')
    expect(reason.length).to.be.below(10_000)
  })
})
