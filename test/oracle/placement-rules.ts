/**
 * The rules by which a pod may run on a node, written from Kubernetes' documentation and independent of the scheduler's
 * code. They look at every pod each time.
 *
 * https://kubernetes.io/docs/concepts/scheduling-eviction/
 */
import type { Parts } from './parts.ts'

/** Nodes, and the pods that are bound to them. */
export interface Placement {
  readonly nodes: readonly Parts[]
  readonly pods: readonly Parts[]
}

/** Returns the rule that keeps a pod from running on a node beside the pods that are bound. Undefined if none does. */
export function violatedRule(pod: Parts, node: Parts, placement: Placement): string | undefined {
  const beside = placement.pods.filter(({ spec }) => spec.nodeName === node.metadata.name)
  const rules: Readonly<Record<string, () => boolean>> = {
    taints: () => taintsOf(node).every(taint => (pod.spec.tolerations ?? []).some((one: Parts) => toleratesTaint(one, taint))),
    'node selector': () => isSelectedNode(pod, node),
    ports: () => hostPortsOf(pod).every(port => beside.every(other => hostPortsOf(other).every(used => !isSamePort(port, used)))),
    resources: () => fits(pod, node, beside),
    'topology spread': () =>
      (pod.spec.topologySpreadConstraints ?? [])
        .filter(({ whenUnsatisfiable }: Parts) => whenUnsatisfiable === 'DoNotSchedule')
        .every((constraint: Parts) => isEven(constraint, pod, node, placement)),
    affinity: () => isNearWanted(pod, node, placement),
    'anti-affinity': () =>
      requiredTerms(pod, 'podAntiAffinity').every(
        term => !podsInDomain(term, pod, node, placement).some(other => matchesTerm(term, pod, other)),
      ),
    'anti-affinity of another pod': () =>
      placement.pods.every(other =>
        requiredTerms(other, 'podAntiAffinity').every(
          term => !(matchesTerm(term, other, pod) && isSameDomain(term.topologyKey, nodeOf(other, placement), node)),
        ),
      ),
  }
  return Object.keys(rules).find(name => !rules[name]?.())
}

const nodeOf = ({ spec }: Parts, { nodes }: Placement): Parts => nodes.find(({ metadata }) => metadata.name === spec.nodeName) ?? {}

const isSameDomain = (key: string, a: Parts, b: Parts): boolean => {
  const value = a.metadata?.labels?.[key]
  return value !== undefined && value === b.metadata?.labels?.[key]
}

const ownTaints = ({ spec = {} }: Parts): Parts[] => (spec.taints ?? []).filter(({ effect }: Parts) => effect !== 'PreferNoSchedule')

/** A cordoned node counts as tainted. */
const taintsOf = ({ spec = {} }: Parts): Parts[] => [
  ...ownTaints({ spec }),
  ...(spec.unschedulable ? [{ key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' }] : []),
]

const toleratesTaint = ({ key, operator = 'Equal', value = '', effect }: Parts, taint: Parts): boolean =>
  (!effect || effect === taint.effect) &&
  (key ? key === taint.key : operator === 'Exists') &&
  (operator === 'Exists' || value === (taint.value ?? ''))

function isSelectedNode({ spec }: Parts, { metadata }: Parts): boolean {
  for (const [key, value] of Object.entries(spec.nodeSelector ?? {})) if (metadata.labels?.[key] !== value) return false
  const terms: Parts[] | undefined = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms
  return (
    terms === undefined ||
    terms.some(({ matchExpressions = [], matchFields = [] }) => {
      const fields = matchFields.every((one: Parts) => matchesExpression(one, metadata.name))
      return (
        matchExpressions.length + matchFields.length > 0 &&
        fields &&
        matchExpressions.every((one: Parts) => matchesExpression(one, metadata.labels?.[one.key]))
      )
    })
  )
}

function matchesExpression({ operator, values = [] }: Parts, value: string | undefined): boolean {
  if (operator === 'Exists') return value !== undefined
  if (operator === 'DoesNotExist') return value === undefined
  if (operator === 'In') return values.includes(value)
  if (operator === 'NotIn') return !values.includes(value)
  return operator === 'Gt' ? Number(value) > Number(values[0]) : Number(value) < Number(values[0])
}

const hostPortsOf = ({ spec }: Parts): Parts[] =>
  spec.containers.flatMap(({ ports = [] }: Parts) => ports.filter(({ hostPort }: Parts) => hostPort))

const isSamePort = (a: Parts, b: Parts): boolean => {
  const anyAddress = (ip: string | undefined): boolean => ip === undefined || ip === '' || ip === '0.0.0.0'
  const isSameAddress = anyAddress(a.hostIP) || anyAddress(b.hostIP) || a.hostIP === b.hostIP
  return isSameAddress && a.hostPort === b.hostPort && (a.protocol ?? 'TCP') === (b.protocol ?? 'TCP')
}

const UNITS: Readonly<Record<string, number>> = { '': 1, m: 0.001, Ki: 2 ** 10, Mi: 2 ** 20, Gi: 2 ** 30 }

/** Amount of a quantity with one of a few units. */
function amount(text: string): number {
  const [, digits = '0', unit = ''] = /^([0-9.]+)([A-Za-z]*)$/.exec(String(text)) ?? []
  return Number(digits) * (UNITS[unit] ?? Number.NaN)
}

/**
 * Sum of what the containers request, or what an init container requests, if that is more. Sidecars run beside both.
 */
function requestOf({ spec }: Parts, resource: string): number {
  const of = ({ resources }: Parts): number => amount(resources?.requests?.[resource] ?? '0')
  let sidecars = 0
  let starting = 0
  for (const container of spec.initContainers ?? [])
    if (container.restartPolicy === 'Always') sidecars += of(container)
    else starting = Math.max(starting, sidecars + of(container))
  const running = spec.containers.reduce((sum: number, container: Parts) => sum + of(container), sidecars)
  return Math.max(running, starting) + amount(spec.overhead?.[resource] ?? '0')
}

/** Rounding of sums of thousandths. */
const TOLERANCE = 1e-6

function fits(pod: Parts, { status }: Parts, beside: readonly Parts[]): boolean {
  if (beside.length + 1 > Number(status.allocatable.pods)) return false
  const resources = ['cpu', 'memory', 'example.com/device']
  return resources.every(resource => {
    const wanted = requestOf(pod, resource)
    const used = beside.reduce((sum, other) => sum + requestOf(other, resource), 0)
    return wanted === 0 || used + wanted <= amount(status.allocatable[resource] ?? '0') + TOLERANCE
  })
}

const requiredTerms = ({ spec }: Parts, kind: string): Parts[] =>
  spec.affinity?.[kind]?.requiredDuringSchedulingIgnoredDuringExecution ?? []

/** Reports whether a term of one pod selects another. */
const matchesTerm = ({ labelSelector, namespaces }: Parts, of: Parts, other: Parts): boolean =>
  (namespaces ?? [of.metadata.namespace]).includes(other.metadata.namespace) && matchesSelector(labelSelector, other)

function matchesSelector(selector: Parts | undefined, { metadata }: Parts): boolean {
  if (selector === undefined) return false
  const labels = Object.entries(selector.matchLabels ?? {}).every(([key, value]) => metadata.labels?.[key] === value)
  return labels && (selector.matchExpressions ?? []).every((one: Parts) => matchesExpression(one, metadata.labels?.[one.key]))
}

const podsInDomain = ({ topologyKey }: Parts, _pod: Parts, node: Parts, placement: Placement): Parts[] =>
  placement.pods.filter(other => isSameDomain(topologyKey, nodeOf(other, placement), node))

/**
 * Every term needs a pod in the node's domain that matches all terms. The first pod of a group that its own terms
 * select may be anywhere with the keys.
 */
function isNearWanted(pod: Parts, node: Parts, placement: Placement): boolean {
  const terms = requiredTerms(pod, 'podAffinity')
  const matchesAll = (other: Parts): boolean => terms.every(term => matchesTerm(term, pod, other))
  if (terms.some(({ topologyKey }) => node.metadata.labels?.[topologyKey] === undefined)) return false
  if (terms.every(term => podsInDomain(term, pod, node, placement).some(matchesAll))) return true
  const isAnywhere = placement.pods.some(
    other => matchesAll(other) && terms.some(({ topologyKey }) => nodeOf(other, placement).metadata?.labels?.[topologyKey] !== undefined),
  )
  return !isAnywhere && matchesAll(pod)
}

/**
 * Domains are those of nodes that the pod's node selector and affinity allow and that have the keys of all constraints.
 */
function isEven(constraint: Parts, pod: Parts, node: Parts, placement: Placement): boolean {
  const { topologyKey, maxSkew, labelSelector, minDomains = 1, nodeTaintsPolicy } = constraint
  const own = node.metadata.labels?.[topologyKey]
  if (own === undefined) return false
  const keys = pod.spec.topologySpreadConstraints
    .filter(({ whenUnsatisfiable }: Parts) => whenUnsatisfiable === 'DoNotSchedule')
    .map((one: Parts) => one.topologyKey)
  const counts = new Map<string, number>()
  for (const other of placement.nodes) {
    const isAllowed = isSelectedNode(pod, other) && keys.every((key: string) => other.metadata.labels?.[key] !== undefined)
    // Only taints of the node itself count here: its controller adds that of a cordoned node.
    const isTolerated =
      nodeTaintsPolicy !== 'Honor' ||
      ownTaints(other).every(taint => (pod.spec.tolerations ?? []).some((one: Parts) => toleratesTaint(one, taint)))
    if (!isAllowed || !isTolerated) continue
    const matching = placement.pods.filter(
      ({ spec, metadata }) =>
        spec.nodeName === other.metadata.name &&
        metadata.namespace === pod.metadata.namespace &&
        !metadata.deletionTimestamp &&
        matchesSelector(labelSelector, { metadata }),
    )
    const domain = other.metadata.labels[topologyKey]
    counts.set(domain, (counts.get(domain) ?? 0) + matching.length)
  }
  const lowest = counts.size < minDomains ? 0 : Math.min(...counts.values())
  const self = matchesSelector(labelSelector, pod) ? 1 : 0
  return (counts.get(own) ?? 0) + self - lowest <= maxSkew
}
