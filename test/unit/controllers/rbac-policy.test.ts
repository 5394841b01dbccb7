import { expect } from 'chai'
import { RuleIndex } from '../../../src/auth/authz/rbac/rule-index.ts'
import { bootstrap } from '../../../src/controllers/bootstrap.ts'
import { clusterRoleAggregationController } from '../../../src/controllers/cluster-role-aggregation.ts'
import { followRules } from '../../../src/controllers/rbac-index.ts'
import { bootstrapRbacPolicy } from '../../../src/controllers/rbac-policy.ts'
import { loose } from '../../support/any-object.ts'
import { builtinRegistry, controllerEnvironment } from '../../support/builtin-registry.ts'
import { featuresOf } from '../../support/hook-context.ts'
import { NEVER } from '../../support/test-registry.ts'
import { eventually } from '../../support/waiting.ts'

const group = 'rbac.authorization.k8s.io'
const CLUSTER_ROLES = { group, resource: 'clusterroles' }
const CLUSTER_ROLE_BINDINGS = { group, resource: 'clusterrolebindings' }
const options = {
  release: '1.33',
  address: '192.0.2.7',
  port: 6443,
  serviceIP: '10.0.0.1',
  serviceCIDRs: ['10.0.0.0/24'],
  alone: true,
} as const

async function cluster() {
  const t = builtinRegistry()
  const env = controllerEnvironment(t)
  await bootstrap(env, options, NEVER)
  await bootstrapRbacPolicy(env, featuresOf(), NEVER)
  return { t, env, access: env.access }
}

describe('bootstrapRbacPolicy', () => {
  it('creates the default roles, and changes nothing on a second start', async () => {
    const { t, env, access } = await cluster()
    expect((await access.list(CLUSTER_ROLES, '')).items).to.have.length(66)
    expect((await access.list({ group, resource: 'rolebindings' }, 'kube-system')).items).to.have.length(6)
    const before = await t.backend.currentRevision(NEVER)
    await bootstrapRbacPolicy(env, featuresOf(), NEVER)
    expect(await t.backend.currentRevision(NEVER)).to.equal(before)
  })

  it('restores missing rules and subjects', async () => {
    const { env, access } = await cluster()
    await access.update(CLUSTER_ROLES, '', 'cluster-admin', role => ({ ...role, rules: [] }))
    await access.delete(CLUSTER_ROLE_BINDINGS, '', 'cluster-admin')
    await access.create(CLUSTER_ROLE_BINDINGS, '', {
      kind: 'ClusterRoleBinding',
      apiVersion: `${group}/v1`,
      metadata: { name: 'cluster-admin' },
      roleRef: { apiGroup: group, kind: 'ClusterRole', name: 'view' },
    })
    await bootstrapRbacPolicy(env, featuresOf(), NEVER)
    expect((await access.get(CLUSTER_ROLES, '', 'cluster-admin')).rules).to.have.length(2)
    expect(loose(await access.get(CLUSTER_ROLE_BINDINGS, '', 'cluster-admin')).roleRef.name).to.equal('cluster-admin')
  })
})

describe('clusterRoleAggregationController', () => {
  it('writes the rules of aggregated roles, and follows their sources', async () => {
    const { env, access } = await cluster()
    const stop = new AbortController()
    const running = clusterRoleAggregationController(env, stop.signal)
    const rulesOf = async (name: string) => ((await access.get(CLUSTER_ROLES, '', name)).rules ?? []) as object[]
    await eventually('view has rules', async () => (await rulesOf('view')).length === (await rulesOf('system:aggregate-to-view')).length)
    await eventually('admin has all of edit', async () => {
      const texts = (await rulesOf('admin')).map(rule => JSON.stringify(rule))
      return (await rulesOf('edit')).length > 0 && (await rulesOf('edit')).every(rule => texts.includes(JSON.stringify(rule)))
    })
    const mine = { verbs: ['get'], apiGroups: ['example.com'], resources: ['widgets'] }
    await access.create(CLUSTER_ROLES, '', {
      kind: 'ClusterRole',
      apiVersion: `${group}/v1`,
      metadata: { name: 'widgets', labels: { [`${group}/aggregate-to-view`]: 'true' } },
      rules: [mine],
    })
    await eventually('admin has it, too', async () => (await rulesOf('admin')).some(rule => JSON.stringify(rule) === JSON.stringify(mine)))
    await access.delete(CLUSTER_ROLES, '', 'widgets')
    await eventually('and loses it', async () => !(await rulesOf('admin')).some(rule => JSON.stringify(rule) === JSON.stringify(mine)))
    stop.abort()
    await running
  })
})

describe('followRules', () => {
  it('keeps the index in sync with roles and bindings', async () => {
    const { env, access } = await cluster()
    const stop = new AbortController()
    const index = new RuleIndex()
    index.putRole({ kind: '', apiVersion: '', metadata: { name: 'gone-before' }, rules: null })
    await new Promise<void>(resolve => void followRules(env, index, stop.signal, resolve))
    expect([index.keys('clusterroles'), index.keys('clusterrolebindings'), index.keys('roles')].map(({ length }) => length)).to.deep.equal([
      66, 47, 7,
    ])
    await access.delete(CLUSTER_ROLES, '', 'view')
    await eventually('the role is gone', () => !index.keys('clusterroles').includes('/view'))
    stop.abort()
  })
})
