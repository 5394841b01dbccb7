import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import type { KubeObject } from '../../../../src/api/meta/object.ts'
import type { ClusterRole, ClusterRoleBinding } from '../../../../src/api/rbac/v1.types.ts'
import { parseGates } from '../../../../src/lifecycle/gates.ts'
import type { Release } from '../../../../src/lifecycle/release.ts'
import { bootstrapPolicy } from '../../../../src/resources/rbac/policy/bootstrap-policy.ts'
import { readBindings, readRoles } from '../../../../src/resources/rbac/policy/read-policy.ts'
import { reconcileBinding, reconcileRole } from '../../../../src/resources/rbac/policy/reconcile.ts'
import { featuresOf } from '../../../support/hook-context.ts'

const META = {
  labels: { 'kubernetes.io/bootstrapping': 'rbac-defaults' },
  annotations: { 'rbac.authorization.kubernetes.io/autoupdate': 'true' },
}
const group = 'rbac.authorization.k8s.io'
const rule = (verb: string) => ({ verbs: [verb], apiGroups: [''], resources: ['pods'] })

describe('policy texts', () => {
  it('are parsed as roles', () =>
    expect(readRoles('a <all +part\n  get,list core,apps pods x,y\nb\n  get /x,/y/*\n', featuresOf())).to.deep.equal([
      {
        kind: 'ClusterRole',
        apiVersion: `${group}/v1`,
        metadata: { name: 'a', labels: { ...META.labels, [`${group}/part`]: 'true' }, annotations: META.annotations },
        rules: [{ verbs: ['get', 'list'], apiGroups: ['', 'apps'], resources: ['pods'], resourceNames: ['x', 'y'] }],
        aggregationRule: { clusterRoleSelectors: [{ matchLabels: { [`${group}/all`]: 'true' } }] },
      },
      {
        kind: 'ClusterRole',
        apiVersion: `${group}/v1`,
        metadata: { name: 'b', ...META },
        rules: [{ verbs: ['get'], nonResourceURLs: ['/x', '/y/*'] }],
      },
    ]))

  it('are parsed as bindings', () =>
    expect(readBindings('a = r: user u, group system:x, account n/s\nb = r', featuresOf(), 'ns')).to.deep.equal([
      {
        kind: 'RoleBinding',
        apiVersion: `${group}/v1`,
        metadata: { name: 'a', namespace: 'ns', ...META },
        subjects: [
          { kind: 'User', apiGroup: group, name: 'u' },
          { kind: 'Group', apiGroup: group, name: 'system:x' },
          { kind: 'ServiceAccount', name: 's', namespace: 'n' },
        ],
        roleRef: { apiGroup: group, kind: 'Role', name: 'r' },
      },
      {
        kind: 'RoleBinding',
        apiVersion: `${group}/v1`,
        metadata: { name: 'b', namespace: 'ns', ...META },
        roleRef: { apiGroup: group, kind: 'Role', name: 'r' },
      },
    ]))

  it('depend on the release and its gates', () => {
    const text =
      'a\n  get core x since(1.30) until(1.32)\n  get core y gate(KubeletFineGrainedAuthz)\nb since(1.31) gate(KubeletFineGrainedAuthz)\n  get core z\nc\n'
    const read = (release: Release, gates: Record<string, boolean> = {}) =>
      readRoles(text, parseGates(release, new Map(Object.entries(gates)))).map(({ metadata, rules }) =>
        [metadata.name, ...(rules ?? []).flatMap(({ resources }) => resources ?? [])].join(' '),
      )
    expect(read('1.29')).to.deep.equal(['a', 'c'])
    expect(read('1.30')).to.deep.equal(['a x', 'c'])
    expect(read('1.32')).to.deep.equal(['a', 'c'])
    expect(read('1.32', { KubeletFineGrainedAuthz: true })).to.deep.equal(['a y', 'b z', 'c'])
    const bindings = readBindings('a = r: user u until(1.31)\na = r: user v since(1.31)', parseGates('1.31'))
    expect(bindings.map(({ subjects = [] }) => subjects.map(({ name }) => name))).to.deep.equal([['v']])
  })
})

/**
 * The number of ClusterRoles, ClusterRoleBindings and rules (including those of Roles) that each release of
 * kube-apiserver creates.
 */
const MADE: readonly (readonly [release: Release, roles: number, bindings: number, rules: number])[] = [
  ['1.24', 62, 43, 275],
  ['1.25', 62, 43, 277],
  ['1.26', 62, 43, 280],
  ['1.27', 62, 43, 281],
  ['1.28', 62, 43, 278],
  ['1.29', 63, 44, 281],
  ['1.30', 64, 45, 283],
  ['1.31', 64, 45, 287],
  ['1.32', 64, 45, 283],
  ['1.33', 66, 47, 295],
  ['1.34', 68, 49, 316],
  ['1.35', 68, 49, 314],
  // Here /flagz and /statusz have rules of their own; there they stand in one with the others.
  ['1.36', 69, 50, 322 + 2],
]

describe('the bootstrap policy', () => {
  for (const [release, roles, bindings, rules] of MADE)
    it(`matches ${release}`, () => {
      const made = bootstrapPolicy(parseGates(release))
      const allRules = [...made.clusterRoles, ...made.roles].flatMap(role => role.rules ?? [])
      expect([made.clusterRoles.length, made.clusterRoleBindings.length, allRules.length]).to.deep.equal([roles, bindings, rules])
    })

  const policy = bootstrapPolicy(featuresOf())
  const named = (list: readonly KubeObject[], name: string) => list.find(({ metadata }) => metadata.name === name)

  it('has the numbers of objects of kube-apiserver 1.33', () =>
    expect([policy.clusterRoles, policy.clusterRoleBindings, policy.roles, policy.roleBindings].map(({ length }) => length)).to.deep.equal([
      66, 47, 7, 7,
    ]))

  it('contains each name once, and binds existing roles', () => {
    const roles = new Set(policy.clusterRoles.map(({ metadata }) => metadata.name))
    expect(roles.size).to.equal(policy.clusterRoles.length)
    for (const { roleRef } of policy.clusterRoleBindings) expect(roles).to.include(roleRef.name)
    const own = new Set(policy.roles.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`))
    for (const { metadata, roleRef } of policy.roleBindings) expect(own).to.include(`${metadata.namespace}/${roleRef.name}`)
  })

  it('allows masters everything, and everyone to read health and version', () => {
    expect(named(policy.clusterRoles, 'cluster-admin')?.rules).to.deep.equal([
      { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
      { verbs: ['*'], nonResourceURLs: ['*'] },
    ])
    expect(named(policy.clusterRoleBindings, 'cluster-admin')?.subjects).to.deep.equal([
      { kind: 'Group', apiGroup: group, name: 'system:masters' },
    ])
    expect(named(policy.clusterRoles, 'system:public-info-viewer')?.rules).to.deep.equal([
      { verbs: ['get'], nonResourceURLs: ['/healthz', '/livez', '/readyz', '/version', '/version/'] },
    ])
  })

  it('lets controllers of 1.37 write groups of jobs, read leases and rules of taints, and create nothing that is migrated', () => {
    const rulesOf = (release: Release, name: string): string[] => {
      const gates = parseGates(
        release,
        new Map([
          ['GenericWorkload', true],
          ['WorkloadWithJob', true],
          ['DRAResourcePoolStatus', true],
        ]),
      )
      const role = bootstrapPolicy(gates).clusterRoles.find(({ metadata }) => metadata.name === `system:controller:${name}`)
      return (role?.rules ?? []).map(({ verbs, resources }) => `${verbs?.join()} ${resources?.join()}`)
    }
    const added = (name: string): string[] => rulesOf('1.37', name).filter(rule => !rulesOf('1.36', name).includes(rule))
    expect(added('job-controller')).to.deep.equal(['create,get,list,patch,update,watch podgroups,workloads'])
    expect(added('node-controller')).to.deep.equal(['get,list,watch leases'])
    expect(added('resourcepoolstatusrequest-controller')).to.deep.equal(['get,list,watch devicetaintrules'])
    expect(added('storage-version-migrator-controller')).to.include('list,patch *')
  })

  it('binds each controller to its account', () =>
    expect(named(policy.clusterRoleBindings, 'system:controller:job-controller')).to.deep.include({
      roleRef: { apiGroup: group, kind: 'ClusterRole', name: 'system:controller:job-controller' },
      subjects: [{ kind: 'ServiceAccount', name: 'job-controller', namespace: 'kube-system' }],
    }))

  it('aggregates admin, edit and view', () => {
    const { labels } = named(policy.clusterRoles, 'edit')?.metadata ?? {}
    expect(labels).to.have.property(`${group}/aggregate-to-admin`, 'true')
    expect(named(policy.clusterRoles, 'view')?.aggregationRule).to.deep.equal({
      clusterRoleSelectors: [{ matchLabels: { [`${group}/aggregate-to-view`]: 'true' } }],
    })
  })
})

describe('reconcileRole', () => {
  const [wanted] = readRoles('a\n  get,list core pods', featuresOf()) as [ClusterRole]
  const now = (more: object = {}, metadata: object = {}): ClusterRole => ({
    ...wanted,
    metadata: { ...wanted.metadata, ...metadata },
    ...more,
  })
  const keep = { annotations: { 'rbac.authorization.kubernetes.io/autoupdate': 'false' } }
  const selected = { aggregationRule: { clusterRoleSelectors: [{ matchLabels: { x: 'y' } }] } }
  it('keeps a role that matches', () => expect(reconcileRole(now(), wanted)).to.equal(undefined))
  it('keeps additional rules', () =>
    expect(reconcileRole(now({ rules: [rule('*')] }, { labels: { ...META.labels, mine: 'x' } }), wanted)).to.equal(undefined))
  it('appends missing rules', () =>
    expect(reconcileRole(now({ rules: [rule('get')] }), wanted)?.rules).to.deep.equal([rule('get'), rule('list')]))
  it('adds labels and annotations', () =>
    expect(reconcileRole(now({}, { labels: { mine: 'x' } }), wanted)?.metadata.labels).to.deep.equal({ mine: 'x', ...META.labels }))
  it('keeps a protected role', () => expect(reconcileRole(now({ rules: [] }, keep), wanted)).to.equal(undefined))
  it('removes an aggregation rule that is not in the policy', () =>
    expect(reconcileRole(now(selected), wanted)).not.to.have.property('aggregationRule'))
  it('adds selectors', () => {
    const other = { matchLabels: { z: 'z' } }
    const next = reconcileRole(now({ aggregationRule: { clusterRoleSelectors: [other] } }), { ...wanted, ...selected })
    expect(next?.aggregationRule?.clusterRoleSelectors).to.deep.equal([other, { matchLabels: { x: 'y' } }])
  })
})

describe('reconcileBinding', () => {
  const [wanted] = readBindings('a = r: user u, account n/s', featuresOf()) as [ClusterRoleBinding]
  const { subjects = [] } = wanted
  const now = (more: object): ClusterRoleBinding => ({ ...wanted, ...more })
  const other = { kind: 'User', apiGroup: group, name: 'x' }
  it('keeps a binding with all subjects', () =>
    expect(reconcileBinding(now({ subjects: [other, ...subjects] }), wanted)).to.equal(undefined))
  it('adds missing subjects', () =>
    expect(reconcileBinding(now({ subjects: [other] }), wanted)).to.deep.include({ subjects: [other, ...subjects] }))
  it('recreates a binding to another role', () =>
    expect(reconcileBinding(now({ roleRef: { ...wanted.roleRef, name: 'q' } }), wanted)).to.equal('recreate'))
})

describe("reconciliation of roles and bindings, upstream's test cases", () => {
  const lines = readFileSync(join(import.meta.dirname, '../../../fixtures/authorization/reconciled-1.33.jsonl'), 'utf8')
    .trimEnd()
    .split('\n')
  const objectOf = ({ labels, annotations, ...parts }: { labels?: object; annotations?: object }) => ({
    metadata: { ...(labels && { labels }), ...(annotations && { annotations }) },
    ...parts,
  })
  for (const [i, line] of lines.entries()) {
    const { kind, now, wanted, operation, protected: isProtected, after } = JSON.parse(line)
    it(`${i} ${kind} ${operation}${isProtected ? ', protected' : ''}`, () => {
      const reconcile = kind === 'role' ? reconcileRole : reconcileBinding
      const changed = operation === 'recreate' ? operation : operation === 'update' ? objectOf(after) : undefined
      expect(reconcile(objectOf(now) as never, objectOf(wanted) as never)).to.deep.equal(isProtected ? undefined : changed)
    })
  }
})
