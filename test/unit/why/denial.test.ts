import { expect } from 'chai'
import { RuleIndex } from '../../../src/auth/authz/rbac/rule-index.ts'
import { runAtOnce } from '../../../src/lib/steps.ts'
import { nonResourceAttributes, resourceAttributes } from '../../../src/meta/request-attributes.ts'
import { denialOf } from '../../../src/why/denial.ts'

const JANE = { name: 'jane', groups: ['devs'] }

function indexOf(...grants: readonly [binding: string, subject: { kind: string; name: string }, rule: object][]): RuleIndex {
  const index = new RuleIndex()
  for (const [binding, subject, rule] of grants) {
    const [name = '', namespace] = binding.split('/').reverse()
    const metadata = { name, ...(namespace !== undefined && { namespace }) }
    const kind = namespace === undefined ? 'ClusterRole' : 'Role'
    index.putRole({ apiVersion: 'v1', kind, metadata, rules: [{ verbs: ['get'], ...rule }] })
    index.putBinding({ apiVersion: 'v1', kind: `${kind}Binding`, metadata, roleRef: { apiGroup: '', kind, name }, subjects: [subject] })
  }
  return index
}

const DEVS = { kind: 'Group', name: 'devs' }
const OPS = { kind: 'Group', name: 'ops' }
const PODS = { apiGroups: [''], resources: ['pods'] }
const LIST = resourceAttributes({ verb: 'list', resource: 'pods', namespace: 'shop' })

describe('denialOf', () => {
  it('returns the three closest bindings, closest first', () => {
    const index = indexOf(
      ['shop/far', DEVS, { ...PODS, resources: ['nodes'] }],
      ['shop/others', OPS, { ...PODS, verbs: ['list'] }],
      ['shop/named', DEVS, { ...PODS, verbs: ['list'], resourceNames: ['a'] }],
      ['shop/verb', DEVS, PODS],
      ['elsewhere/all', DEVS, { ...PODS, verbs: ['*'] }],
    )
    const { closest } = runAtOnce(denialOf(index, ['RBAC'], JANE, LIST))
    expect(closest.map(({ binding, missing }) => [binding, ...missing].join(' '))).to.deep.equal([
      'RoleBinding shop/named name',
      'RoleBinding shop/verb verb',
      'RoleBinding elsewhere/all namespace',
    ])
  })
  it('does not compare paths with resources', () => {
    const index = indexOf(['discovery', DEVS, { nonResourceURLs: ['/api'] }], ['pods', DEVS, PODS])
    const closest = (asked: typeof LIST): string[] =>
      runAtOnce(denialOf(index, ['RBAC'], JANE, asked)).closest.map(({ binding }) => binding)
    expect(closest(resourceAttributes({ verb: 'get', resource: 'secrets', namespace: 'shop' }))).to.deep.equal(['ClusterRoleBinding pods'])
    expect(closest(nonResourceAttributes('get', '/metrics'))).to.deep.equal(['ClusterRoleBinding discovery'])
  })
  it('does not suggest roles of administrators or controllers', () => {
    const rule = { apiGroups: ['*'], resources: ['*'], verbs: ['*'] }
    expect(
      runAtOnce(
        denialOf(indexOf(['cluster-admin', OPS, rule], ['system:controller:x', OPS, { ...PODS, verbs: ['list'] }]), ['RBAC'], JANE, LIST),
      ).closest,
    ).to.deep.equal([])
  })
  it('quotes user names for a shell', () => {
    const user = { name: "o'hara $(rm -rf /)\n", groups: [] }
    const { commands, yaml } = runAtOnce(
      denialOf(
        new RuleIndex(),
        ['RBAC'],
        user,
        resourceAttributes({ verb: 'update', group: 'apps', resource: 'deployments', subresource: 'scale', namespace: 'shop' }),
      ),
    ).toAllow
    expect(commands).to.deep.equal([
      'kubectl create role o-hara-rm-rf-update-deployments-scale --verb=update --resource=deployments.apps/scale --namespace=shop',
      "kubectl create rolebinding o-hara-rm-rf-update-deployments-scale --role=o-hara-rm-rf-update-deployments-scale --user='o'\\''hara $(rm -rf /)\n' --namespace=shop",
    ])
    expect(yaml).to.include('kind: RoleBinding')
  })
  it('suggests a rule for the requested object', () => {
    const commands = (verb: string): string | undefined =>
      runAtOnce(
        denialOf(new RuleIndex(), ['RBAC'], JANE, resourceAttributes({ verb, resource: 'secrets', name: 'key', namespace: 'shop' })),
      ).toAllow.commands[0]
    expect(commands('get')).to.equal(
      'kubectl create role jane-get-secrets-key --verb=get --resource=secrets --resource-name=key --namespace=shop',
    )
    expect(commands('create')).to.equal('kubectl create role jane-create-secrets --verb=create --resource=secrets --namespace=shop')
  })
  it('suggests service accounts, cluster roles and paths', () => {
    const account = { name: 'system:serviceaccount:ci:robot', groups: [] }
    const { commands } = runAtOnce(
      denialOf(new RuleIndex(), ['RBAC'], account, resourceAttributes({ verb: 'list', resource: 'nodes' })),
    ).toAllow
    expect(commands[1]).to.equal(
      'kubectl create clusterrolebinding robot-list-nodes --clusterrole=robot-list-nodes --serviceaccount=ci:robot',
    )
    expect(runAtOnce(denialOf(new RuleIndex(), ['RBAC'], JANE, nonResourceAttributes('get', '/metrics'))).toAllow.commands[0]).to.equal(
      'kubectl create clusterrole jane-get-metrics --verb=get --non-resource-url=/metrics',
    )
  })
  it('suggests a rule for the policy file of a mode', () => {
    const rules = runAtOnce(denialOf(undefined, ['Rules'], JANE, LIST))
    expect(rules.toAllow.yaml).to.equal(
      'rules:\n- apiGroups:\n  - ""\n  namespaces:\n  - shop\n  resources:\n  - pods\n  users:\n  - jane\n  verbs:\n  - list\n',
    )
    const abac = runAtOnce(denialOf(undefined, ['ABAC'], JANE, LIST))
    expect(JSON.parse(abac.toAllow.yaml).spec).to.deep.equal({ user: 'jane', apiGroup: '', resource: 'pods', namespace: 'shop' })
  })
})
