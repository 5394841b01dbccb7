import { expect } from 'chai'
import type { PolicyRule } from '../../../../../src/api/rbac/v1.types.ts'
import { RuleIndex } from '../../../../../src/auth/authz/rbac/rule-index.ts'
import type { ResourceAccess } from '../../../../../src/catalog/resource-access.ts'
import type { HookContext } from '../../../../../src/catalog/strategy.ts'
import type { RequestAttributes, RequestContext, User } from '../../../../../src/meta/context.ts'
import { resourceAttributes } from '../../../../../src/meta/request-attributes.ts'
import { failure, isStatusError } from '../../../../../src/meta/status.ts'
import { authorizeBinding, authorizeRole } from '../../../../../src/resources/rbac/shared/escalation.ts'
import { featuresIn, featuresOf, hookContext } from '../../../../support/hook-context.ts'

const GROUP = 'rbac.authorization.k8s.io'
const rule = (verbs: string, group: string, resources: string, ...resourceNames: string[]): PolicyRule => ({
  verbs: verbs.split(','),
  apiGroups: [group],
  resources: resources.split(','),
  ...(resourceNames.length > 0 && { resourceNames }),
})
const JANE: User = { name: 'jane', groups: ['devs', 'system:authenticated'] }

/** Jane may `get` and `list` pods in the cluster and has all verbs for ConfigMaps in `ns`. */
class Cluster {
  readonly asked: RequestAttributes[] = []
  readonly index = new RuleIndex()
  allows: (info: RequestAttributes) => boolean = () => false

  constructor() {
    const meta = (name: string, namespace?: string) => ({ apiVersion: `${GROUP}/v1`, metadata: { name, ...(namespace && { namespace }) } })
    this.index.putRole({ kind: 'ClusterRole', ...meta('pods'), rules: [rule('get,list', '', 'pods')] })
    this.index.putRole({ kind: 'Role', ...meta('maps', 'ns'), rules: [rule('*', '', 'configmaps')] })
    const subjects = [{ kind: 'Group', name: 'devs' }]
    this.index.putBinding({
      kind: 'ClusterRoleBinding',
      ...meta('b'),
      roleRef: { apiGroup: GROUP, kind: 'ClusterRole', name: 'pods' },
      subjects,
    })
    this.index.putBinding({ kind: 'RoleBinding', ...meta('b', 'ns'), roleRef: { apiGroup: GROUP, kind: 'Role', name: 'maps' }, subjects })
  }

  readonly #services = {
    rules: this.index,
    authorizer: {
      authorize: async (_user: User, info: RequestAttributes) => {
        this.asked.push(info)
        return { decision: this.allows(info) ? ('allow' as const) : ('no opinion' as const), reason: '' }
      },
    },
  }
  readonly #api = {
    get: async (_id: unknown, namespace: string, name: string) => {
      if (name === 'none') throw failure(404, 'NotFound', `clusterroles.${GROUP} "none" not found`)
      return {
        apiVersion: `${GROUP}/v1`,
        kind: 'Role',
        metadata: { name },
        rules: namespace === '' ? [rule('get', '', 'pods')] : [rule('get', '', 'secrets')],
      }
    },
  } as unknown as ResourceAccess

  features = featuresOf()

  #context(info: Partial<RequestAttributes>, user: User): HookContext {
    const attributes = resourceAttributes({ verb: 'create', group: GROUP, version: 'v1', ...info })
    const request: RequestContext = {
      user,
      info: attributes,
      signal: new AbortController().signal,
      userAgent: '',
      receivedAt: 0,
      warn: () => {},
    }
    return hookContext({ request, access: () => this.#api, features: this.features })
  }

  /** The message of the error, if any. */
  async role(
    next: object,
    { namespace = 'ns', user = JANE, old }: { namespace?: string; user?: User; old?: object } = {},
  ): Promise<string | undefined> {
    const named = (role: object) => ({ apiVersion: `${GROUP}/v1`, kind: 'Role', metadata: { name: 'r' }, rules: null, ...role })
    const resource = namespace === '' ? 'clusterroles' : 'roles'
    return refusalOf(authorizeRole(this.#services)(named(next), old && named(old), this.#context({ resource, namespace }, user)))
  }

  async binding(
    kind: string,
    name: string,
    { namespace = 'ns', user = JANE, old }: { namespace?: string; user?: User; old?: object } = {},
  ) {
    const named = { apiVersion: `${GROUP}/v1`, kind: 'RoleBinding', metadata: { name: 'b' }, roleRef: { apiGroup: GROUP, kind, name } }
    const resource = namespace === '' ? 'clusterrolebindings' : 'rolebindings'
    return refusalOf(authorizeBinding(this.#services)(named, old && { ...named, ...old }, this.#context({ resource, namespace }, user)))
  }
}

async function refusalOf(work: Promise<void>): Promise<string | undefined> {
  try {
    await work
    return undefined
  } catch (error) {
    if (!isStatusError(error)) throw error
    return `${error.status.code} ${error.status.message}`
  }
}

const HOLDS_NOT = 'user "jane" (groups=["devs" "system:authenticated"]) is attempting to grant RBAC permissions not currently held:\n'

describe('escalation by roles', () => {
  let cluster: Cluster
  beforeEach(() => {
    cluster = new Cluster()
  })

  it('is rejected with a list of the missing rights', async () => {
    const rules = [
      rule('get,delete,create', '', 'pods,secrets'),
      rule('get', 'apps', 'deployments', 'web'),
      { verbs: ['get'], nonResourceURLs: ['/metrics'] },
    ]
    expect(await cluster.role({ rules })).to.equal(
      `403 roles.${GROUP} "r" is forbidden: ${HOLDS_NOT}${[
        '{APIGroups:[""], Resources:["pods"], Verbs:["delete" "create"]}',
        '{APIGroups:[""], Resources:["secrets"], Verbs:["get" "delete" "create"]}',
        '{APIGroups:["apps"], Resources:["deployments"], ResourceNames:["web"], Verbs:["get"]}',
        '{NonResourceURLs:["/metrics"], Verbs:["get"]}',
      ].join('\n')}`,
    )
  })

  it('does not occur if the user holds the rights in the namespace of the role', async () => {
    const rules = [rule('get', '', 'pods'), rule('get,delete', '', 'configmaps')]
    expect(await cluster.role({ rules })).to.equal(undefined)
    expect(await cluster.role({ rules }, { namespace: '' })).to.match(
      /^403 clusterroles.*Resources:\["configmaps"\], Verbs:\["get" "delete"\]/s,
    )
  })

  it('is allowed to masters, and to users with permission to escalate', async () => {
    const rules = [rule('*', '*', '*')]
    expect(await cluster.role({ rules }, { user: { name: 'root', groups: ['system:masters'] } })).to.equal(undefined)
    cluster.allows = ({ verb }) => verb === 'escalate'
    expect(await cluster.role({ rules })).to.equal(undefined)
    expect(cluster.asked.map(({ verb, group, version, resource, namespace }) => [verb, group, version, resource, namespace])).to.deep.equal(
      [['escalate', GROUP, '*', 'roles', 'ns']],
    )
  })

  it('with an aggregation requires all rights', async () => {
    const aggregationRule = { clusterRoleSelectors: [{ matchLabels: { a: 'b' } }] }
    const why = `403 clusterroles.${GROUP} "r" is forbidden: must have cluster-admin privileges to use the aggregationRule`
    expect(await cluster.role({ aggregationRule }, { namespace: '' })).to.equal(why)
    expect(await cluster.role({}, { namespace: '', old: { aggregationRule } })).to.equal(why)
  })

  it('is not checked if only finalizers and owners change', async () => {
    const rules = [rule('*', '*', '*')]
    const metadata = { name: 'r', finalizers: ['a/b'], managedFields: [] }
    expect(await cluster.role({ rules }, { old: { rules, metadata } })).to.equal(undefined)
    expect(await cluster.role({ rules }, { old: { rules, metadata: { name: 'r', labels: { a: 'b' } } } })).to.match(/^403/)
  })

  it('reports missing roles', async () => {
    cluster.index.removeRole('', 'pods')
    expect(await cluster.role({ rules: [rule('get', '', 'pods')] })).to.match(
      /\n\{.*\}; resolution errors: \[roles.rbac.authorization.k8s.io "pods" not found\]$/,
    )
    cluster.features = featuresIn('1.31')
    expect(await cluster.role({ rules: [rule('get', '', 'pods')] })).to.match(
      /resolution errors: \[clusterroles.rbac.authorization.k8s.io "pods" not found\]$/,
    )
  })

  it('is rejected for more rights than can be compared', async () => {
    const many = Array.from({ length: 300 }, (_, i) => `x${i}`).join(',')
    expect(await cluster.role({ rules: [{ ...rule(many, '', many), apiGroups: ['a', 'b'] }] })).to.match(
      /^403 .*\nand more: of rules that no single rule covers, 50000 rights are compared$/s,
    )
  })
})

describe('escalation by bindings', () => {
  it('is rejected if the role has rights that the user lacks', async () => {
    const cluster = new Cluster()
    expect(await cluster.binding('ClusterRole', 'view')).to.equal(undefined)
    expect(await cluster.binding('ClusterRole', 'view', { namespace: '' })).to.equal(undefined)
    expect(await cluster.binding('Role', 'reader')).to.equal(
      `403 rolebindings.${GROUP} "b" is forbidden: ${HOLDS_NOT}{APIGroups:[""], Resources:["secrets"], Verbs:["get"]}`,
    )
    expect(await cluster.binding('ClusterRole', 'none')).to.equal(`404 rolebindings.${GROUP} "none" not found`)
    expect(await cluster.binding('ClusterRole', 'none', { namespace: '' })).to.equal(`404 clusterrolebindings.${GROUP} "none" not found`)
    expect(await cluster.binding('Other', 'x')).to.equal('500 unsupported role reference kind: "Other"')
  })

  it('reports a missing role under its own resource up to 1.31', async () => {
    const cluster = new Cluster()
    cluster.features = featuresIn('1.31')
    expect(await cluster.binding('ClusterRole', 'none')).to.equal(`404 clusterroles.${GROUP} "none" not found`)
  })

  it('is allowed to masters, and to users with permission to bind the role', async () => {
    const cluster = new Cluster()
    expect(await cluster.binding('ClusterRole', 'none', { user: { name: 'root', groups: ['system:masters'] } })).to.equal(undefined)
    cluster.allows = ({ verb, resource, name, namespace }) =>
      verb === 'bind' && resource === 'roles' && name === 'reader' && namespace === 'ns'
    expect(await cluster.binding('Role', 'reader')).to.equal(undefined)
    expect(await cluster.binding('Role', 'writer')).to.match(/^403/)
  })
})
