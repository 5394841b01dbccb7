import type { PolicyRule } from '../../../api/rbac/v1.types.ts'
import { quote } from '../../../lib/go-quote.ts'
import type { AuthorizationDecision, Authorizer } from '../../../meta/authorizer.ts'
import type { RequestAttributes, User } from '../../../meta/context.ts'
import { nodeNameOf } from '../../node-identity.ts'
import { ruleAllows } from '../rbac/policy.ts'
import type { NodeGraph, VertexKind } from './graph.ts'

const NODE_LEASES = 'kube-node-lease'

const ALLOW: AuthorizationDecision = { decision: 'allow', reason: '', by: 'Node' }
const none = (reason: string): AuthorizationDecision => ({ decision: 'no opinion', reason })
const NO_OPINION = none('')

/** Differences between releases and feature gates. */
export interface NodeAuthorizerOptions {
  readonly graph: NodeGraph
  /** Rules of the role system:node, for all resources without a check of their own. */
  readonly rules: readonly PolicyRule[]
  /** Gate AuthorizeNodeWithSelectors: nodes read only their own Node and pods. */
  readonly bySelectors: boolean
  /** Gate AuthorizeWithSelectors: field selectors are considered. */
  readonly readsSelectors: boolean
  /** Whether nodes may read the service accounts of their pods. Undefined for releases without a rule for it. */
  readonly readsAccounts: boolean | undefined
  /** Which of these resources are restricted to the objects of the node, by release. */
  readonly divides: { readonly claims: boolean; readonly slices: boolean; readonly certificateRequests: 'by node' | 'never' | 'by rules' }
}

/** Request of a node's kubelet. */
interface NodeRequest {
  readonly node: string
  readonly info: RequestAttributes
  readonly options: NodeAuthorizerOptions
}

type Check = (asked: NodeRequest) => AuthorizationDecision

/**
 * Allows a kubelet to read what the pods of its node need and to write the objects of its node. No opinion on other
 * users. https://kubernetes.io/docs/reference/access-authn-authz/node/
 */
export const nodeAuthorizer = (options: NodeAuthorizerOptions): Authorizer => {
  const checks = checksOf(options)
  return {
    async authorize(user: User, info: RequestAttributes): Promise<AuthorizationDecision> {
      const node = nodeNameOf(user)
      if (node === undefined) return NO_OPINION
      if (node === '') return none(`unknown node for user ${quote(user.name)}`)
      const check = info.isResource ? checks.get(`${info.group}/${info.resource}`) : undefined
      if (check) return check({ node, info, options })
      return options.rules.some(rule => ruleAllows(rule, info)) ? ALLOW : NO_OPINION
    },
    rulesFor: user => ({
      resourceRules: [],
      nonResourceRules: [],
      incomplete: nodeNameOf(user) !== undefined,
      errors: nodeNameOf(user) === undefined ? [] : ['node authorizer does not support user rule resolution'],
    }),
  }
}

/** Checks by `GROUP/RESOURCE`. A Map, because requests contain arbitrary names. */
function checksOf({ bySelectors, divides: { claims, slices, certificateRequests } }: NodeAuthorizerOptions): ReadonlyMap<string, Check> {
  const checks: [resource: string, check: Check][] = [
    ['/secrets', asked => checkRead(asked, 'secret')],
    ['/configmaps', asked => checkRead(asked, 'configmap')],
    ['/persistentvolumeclaims', asked => (asked.info.subresource === 'status' ? checkStatus(asked, 'pvc') : checkGet(asked, 'pvc'))],
    ['/persistentvolumes', asked => checkGet(asked, 'pv')],
    ['storage.k8s.io/volumeattachments', asked => checkGet(asked, 'volumeattachment')],
    ['/serviceaccounts', checkAccount],
    ['coordination.k8s.io/leases', checkLease],
    ['storage.k8s.io/csinodes', checkCsiNode],
  ]
  if (claims) checks.push(['resource.k8s.io/resourceclaims', asked => checkGet(asked, 'resourceclaim')])
  if (slices) checks.push(['resource.k8s.io/resourceslices', checkSlice])
  if (bySelectors) checks.push(['/nodes', checkNode], ['/pods', checkPod])
  if (certificateRequests === 'by node') checks.push(['certificates.k8s.io/podcertificaterequests', checkCertificateRequest])
  if (certificateRequests === 'never') checks.push(['certificates.k8s.io/podcertificaterequests', () => NO_OPINION])
  return new Map(checks)
}

/** Whether the graph connects the object to the node. */
function isRelated({ node, info, options }: NodeRequest, kind: VertexKind): AuthorizationDecision {
  if (info.name === '') return none('No Object name found')
  return options.graph.leadsTo(node, kind, info.namespace, info.name)
    ? ALLOW
    : none(`no relationship found between node '${node}' and this object`)
}

function checkStatus(asked: NodeRequest, kind: VertexKind): AuthorizationDecision {
  const { verb } = asked.info
  return verb === 'update' || verb === 'patch' ? isRelated(asked, kind) : none('can only get/update/patch this type')
}

function checkGet(asked: NodeRequest, kind: VertexKind): AuthorizationDecision {
  if (asked.info.verb !== 'get') return none('can only get individual resources of this type')
  return asked.info.subresource === '' ? isRelated(asked, kind) : none('cannot get subresource')
}

const isRead = (verb: string): boolean => verb === 'get' || verb === 'list' || verb === 'watch'

function checkRead(asked: NodeRequest, kind: VertexKind): AuthorizationDecision {
  const { verb, subresource, namespace } = asked.info
  if (!isRead(verb)) return none('can only read resources of this type')
  if (subresource !== '') return none('cannot read subresource')
  return namespace === '' ? none('can only read namespaced object of this type') : isRelated(asked, kind)
}

/** Allows reading the service accounts of the node's pods, and creating tokens for them. */
function checkAccount(asked: NodeRequest): AuthorizationDecision {
  const { info, options } = asked
  if (options.readsAccounts !== undefined && info.verb === 'get' && info.subresource === '')
    return options.readsAccounts ? checkRead(asked, 'serviceAccount') : none('not allowed to get service accounts')
  if (info.verb !== 'create' || info.name === '') return none('can only create tokens for individual service accounts')
  return info.subresource === 'token' ? isRelated(asked, 'serviceAccount') : none('can only create token subresource of serviceaccount')
}

const isOwnVerb = (verb: string): boolean => ['get', 'create', 'update', 'patch', 'delete'].includes(verb)

/**
 * Whether the object belongs to another node. The name of a created object is unknown here; NodeRestriction checks it.
 */
const isOthers = ({ node, info }: NodeRequest): boolean => info.verb !== 'create' && info.name !== node

function checkLease(asked: NodeRequest): AuthorizationDecision {
  if (!isOwnVerb(asked.info.verb)) return none('can only get, create, update, patch, or delete a node lease')
  if (asked.info.namespace !== NODE_LEASES) return none(`can only access leases in the ${quote(NODE_LEASES)} system namespace`)
  return isOthers(asked) ? none('can only access node lease with the same name as the requesting node') : ALLOW
}

function checkCsiNode(asked: NodeRequest): AuthorizationDecision {
  if (!isOwnVerb(asked.info.verb)) return none('can only get, create, update, patch, or delete a CSINode')
  if (asked.info.subresource !== '') return none('cannot authorize CSINode subresources')
  return isOthers(asked) ? none('can only access CSINode with the same name as the requesting node') : ALLOW
}

/** Whether the field selector restricts the request to pods of the node. */
const selectsNode = ({ node, info: { fieldSelector = [] }, options }: NodeRequest): boolean =>
  options.readsSelectors && fieldSelector.some(({ field, op, value }) => field === 'spec.nodeName' && op === '=' && value === node)

/** ResourceSlices: nodes manage their own, and list or watch with a field selector. */
function checkSlice(asked: NodeRequest): AuthorizationDecision {
  const { verb, subresource } = asked.info
  if (subresource !== '') return none('cannot authorize ResourceSlice subresources')
  switch (verb) {
    // NodeRestriction checks the node of the slice.
    case 'create':
      return ALLOW
    case 'get':
    case 'update':
    case 'patch':
    case 'delete':
      return isRelated(asked, 'resourceslice')
    case 'watch':
    case 'list':
    case 'deletecollection':
      return !asked.options.bySelectors || selectsNode(asked)
        ? ALLOW
        : none('can only list/watch/deletecollection resourceslices with nodeName field selector')
    default:
      return none(
        'only the following verbs are allowed for a ResourceSlice: get, watch, list, create, update, patch, delete, deletecollection',
      )
  }
}

/** PodCertificateRequests: nodes create them, read their own, and list or watch with a field selector. */
function checkCertificateRequest(asked: NodeRequest): AuthorizationDecision {
  const { verb, subresource } = asked.info
  if (subresource !== '') return none('nodes may not access the status subresource of PodCertificateRequests')
  if (verb === 'create') return ALLOW
  if (verb === 'get') return isRelated(asked, 'podcertificaterequest')
  if (verb !== 'list' && verb !== 'watch') return none(`nodes may not ${verb} podcertificaterequests`)
  return selectsNode(asked) ? ALLOW : none('can only list/watch podcertificaterequests with nodeName field selector')
}

/** Compares names, because a kubelet looks for its Node before it exists. NodeRestriction checks writes. */
function checkNode({ node, info: { verb, subresource, name } }: NodeRequest): AuthorizationDecision {
  if (subresource === 'status') return verb === 'update' || verb === 'patch' ? ALLOW : NO_OPINION
  if (subresource !== '') return NO_OPINION
  if (verb === 'create' || verb === 'update' || verb === 'patch') return ALLOW
  if (!isRead(verb)) return NO_OPINION
  if (name === node) return ALLOW
  return none(
    name === ''
      ? `node '${node}' cannot read all nodes, only its own Node object`
      : `node '${node}' cannot read '${name}', only its own Node object`,
  )
}

/** Reads are limited to pods of the node. NodeRestriction checks writes. */
function checkPod(asked: NodeRequest): AuthorizationDecision {
  const { verb, subresource, name } = asked.info
  if (subresource === 'status') return verb === 'update' || verb === 'patch' ? ALLOW : NO_OPINION
  if (subresource === 'eviction') return verb === 'create' ? ALLOW : NO_OPINION
  if (subresource !== '') return NO_OPINION
  if (verb === 'create' || verb === 'delete') return ALLOW
  if (verb === 'get') return checkGet(asked, 'pod')
  if (verb !== 'list' && verb !== 'watch') return NO_OPINION
  if (selectsNode(asked)) return ALLOW
  return name === '' ? none('can only list/watch pods with spec.nodeName field selector') : isRelated(asked, 'pod')
}
