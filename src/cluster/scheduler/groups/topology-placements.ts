import { groupBy } from '../../shared/endpoint-slices.ts'
import { Snapshot } from '../snapshot.ts'

/**
 * Returns a snapshot for each set of nodes in which a group may be placed: the nodes with one value of a label. Without
 * a label, it is the given snapshot. Source: pkg/scheduler/framework/plugins/topologyaware.
 *
 * @param scheduled uids of pods of the group that have nodes. The value of their nodes is the only one then. Throws an
 *   Error if they have several, or none
 */
export function placementsOf(label: string | undefined, snapshot: Snapshot, scheduled: ReadonlySet<string>): readonly Snapshot[] {
  if (label === undefined) return [snapshot]
  const labelled = snapshot.nodes.filter(({ labels }) => labels[label] !== undefined)
  const domains = groupBy(labelled, ({ labels }) => labels[label] ?? '')
  const required = scheduled.size > 0 ? domainOf(label, snapshot, scheduled) : undefined
  return [...domains].flatMap(([value, nodes]) =>
    required === undefined || value === required ? [new Snapshot(nodes, snapshot.objects)] : [],
  )
}

function domainOf(label: string, { nodes }: Snapshot, scheduled: ReadonlySet<string>): string {
  let domain: string | undefined
  for (const node of nodes) {
    const pod = node.pods.find(info => scheduled.has(info.pod.metadata.uid ?? ''))
    if (pod === undefined) continue
    const value = node.labels[label]
    const prefix = 'cannot determine domain for already scheduled pods'
    if (value === undefined)
      throw new Error(`${prefix}: no topology domain found for pod ${pod.pod.metadata.namespace}/${pod.pod.metadata.name}`)
    if (domain !== undefined && domain !== value) throw new Error(`${prefix}: more than 1 domain found for pod group: ${domain}, ${value}`)
    domain = value
  }
  if (domain === undefined) throw new Error('cannot determine domain for already scheduled pods: their nodes are not known')
  return domain
}
