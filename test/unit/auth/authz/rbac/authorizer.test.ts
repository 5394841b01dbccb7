import { expect } from 'chai'
import type { PolicyRule, RoleRef, Subject } from '../../../../../src/api/rbac/v1.types.ts'
import { rbacAuthorizer } from '../../../../../src/auth/authz/rbac/authorizer.ts'
import { type RbacResource, RuleIndex } from '../../../../../src/auth/authz/rbac/rule-index.ts'
import { resultAtOnce, runAtOnce } from '../../../../../src/lib/steps.ts'
import { parseRequestInfo } from '../../../../../src/server/filters/request-info.ts'

const signal = new AbortController().signal
const pods = (verb: string) => ({ verbs: [verb], apiGroups: [''], resources: ['pods'] })
const user = (name: string) => ({ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name })
const group = (name: string) => ({ kind: 'Group', apiGroup: 'rbac.authorization.k8s.io', name })
const ref = (kind: string, name: string) => ({ apiGroup: 'rbac.authorization.k8s.io', kind, name })

/** Roles and bindings. */
interface Parts {
  readonly rules?: PolicyRule[]
  readonly roleRef?: RoleRef
  readonly subjects?: Subject[]
}

function setUp() {
  const index = new RuleIndex()
  const put = (resource: RbacResource, namespace: string, name: string, rest: Parts): void => {
    const object = { kind: '', apiVersion: '', metadata: { name, ...(namespace !== '' && { namespace }) } }
    if (resource === 'clusterroles' || resource === 'roles') index.putRole({ ...object, rules: rest.rules ?? null })
    else index.putBinding({ ...object, roleRef: rest.roleRef ?? ref('', ''), ...(rest.subjects && { subjects: rest.subjects }) })
  }
  const authorizer = rbacAuthorizer(index)
  const ask = (name: string, groups: string[], path: string) =>
    authorizer.authorize(
      { name, groups },
      parseRequestInfo('GET', path, () => new URLSearchParams()),
      signal,
    )
  put('clusterroles', '', 'reader', { rules: [pods('get'), { verbs: ['get'], nonResourceURLs: ['/metrics'] }] })
  put('roles', 'a', 'lister', { rules: [pods('list')] })
  return { index, put, ask, authorizer }
}
const POD = '/api/v1/namespaces/a/pods/p'
const PODS = '/api/v1/namespaces/a/pods'

describe('rbacAuthorizer', () => {
  it('has no opinion on users without bindings', async () =>
    expect(await setUp().ask('jane', ['dev'], POD)).to.deep.equal({ decision: 'no opinion', reason: '' }))

  it('allows by ClusterRoleBinding in all namespaces', async () => {
    const { put, ask } = setUp()
    put('clusterrolebindings', '', 'all', { roleRef: ref('ClusterRole', 'reader'), subjects: [group('dev')] })
    expect(await ask('jane', ['dev'], POD)).to.deep.equal({
      decision: 'allow',
      by: 'RBAC',
      reason: 'RBAC: allowed by ClusterRoleBinding "all" of ClusterRole "reader" to Group "dev"',
    })
    expect((await ask('jane', ['dev'], '/metrics')).decision).to.equal('allow')
    expect((await ask('jane', ['ops'], POD)).decision).to.equal('no opinion')
    expect((await ask('dev', [], POD)).decision).to.equal('no opinion')
  })

  it('allows by RoleBinding in its namespace', async () => {
    const { put, ask } = setUp()
    put('rolebindings', 'a', 'b', { roleRef: ref('ClusterRole', 'reader'), subjects: [user('jane')] })
    expect((await ask('jane', [], POD)).reason).to.equal('RBAC: allowed by RoleBinding "b/a" of ClusterRole "reader" to User "jane"')
    expect((await ask('jane', [], '/api/v1/namespaces/b/pods/p')).decision).to.equal('no opinion')
    expect((await ask('jane', [], '/metrics')).decision).to.equal('no opinion')
  })

  it("allows service accounts, by default of the binding's namespace", async () => {
    const { put, ask } = setUp()
    put('rolebindings', 'a', 'b', { roleRef: ref('Role', 'lister'), subjects: [{ kind: 'ServiceAccount', name: 'bot' }] })
    expect((await ask('system:serviceaccount:a:bot', [], PODS)).reason).to.equal(
      'RBAC: allowed by RoleBinding "b/a" of Role "lister" to ServiceAccount "bot/a"',
    )
    expect((await ask('system:serviceaccount:b:bot', [], PODS)).decision).to.equal('no opinion')
    put('clusterrolebindings', '', 'c', { roleRef: ref('ClusterRole', 'reader'), subjects: [{ kind: 'ServiceAccount', name: 'bot' }] })
    expect((await ask('system:serviceaccount::bot', [], POD)).decision).to.equal('no opinion')
  })

  it('reports missing roles', async () => {
    const { put, ask } = setUp()
    put('clusterrolebindings', '', 'x', { roleRef: ref('ClusterRole', 'gone'), subjects: [user('jane')] })
    expect((await ask('jane', [], POD)).reason).to.equal('RBAC: clusterrole.rbac.authorization.k8s.io "gone" not found')
    put('rolebindings', 'a', 'y', { roleRef: ref('Role', 'gone'), subjects: [user('jane')] })
    expect((await ask('jane', [], POD)).reason).to.equal(
      'RBAC: [clusterrole.rbac.authorization.k8s.io "gone" not found, role.rbac.authorization.k8s.io "gone" not found]',
    )
  })

  it('follows changes and removals', async () => {
    const { put, ask, index } = setUp()
    put('rolebindings', 'a', 'b', { roleRef: ref('ClusterRole', 'reader'), subjects: [user('jane'), user('joe')] })
    put('rolebindings', 'a', 'b', { roleRef: ref('ClusterRole', 'reader'), subjects: [user('joe')] })
    expect((await ask('jane', [], POD)).decision).to.equal('no opinion')
    expect((await ask('joe', [], POD)).decision).to.equal('allow')
    put('clusterroles', '', 'reader', { rules: [] })
    expect((await ask('joe', [], POD)).decision).to.equal('no opinion')
    index.removeRole('', 'reader')
    expect((await ask('joe', [], POD)).reason).to.contain('not found')
    runAtOnce(index.removeBinding('a', 'b'))
    expect((await ask('joe', [], POD)).reason).to.equal('')
    expect(index.keys('rolebindings')).to.deep.equal([])
    expect(index.keys('roles')).to.deep.equal(['a/lister'])
  })

  it('lists the rules of a user', () => {
    const { put, authorizer } = setUp()
    put('clusterrolebindings', '', 'all', { roleRef: ref('ClusterRole', 'reader'), subjects: [user('jane')] })
    put('rolebindings', 'a', 'b', { roleRef: ref('Role', 'lister'), subjects: [user('jane')] })
    put('rolebindings', 'a', 'c', { roleRef: ref('Role', 'gone'), subjects: [user('jane')] })
    expect(resultAtOnce(authorizer.rulesFor?.({ name: 'jane', groups: [] }, 'a'))).to.deep.equal({
      resourceRules: [pods('get'), pods('list')],
      nonResourceRules: [{ verbs: ['get'], nonResourceURLs: ['/metrics'] }],
      incomplete: false,
      errors: ['role.rbac.authorization.k8s.io "gone" not found'],
    })
    expect(resultAtOnce(authorizer.rulesFor?.({ name: 'jane', groups: [] }, 'b'))?.resourceRules).to.deep.equal([pods('get')])
  })
})
