import type { Pod } from '../../src/api/core/v1.types.ts'
import { defaultPlugins } from '../../src/cluster/scheduler/default-profile.ts'
import { type Extender, preemptByExtenders } from '../../src/cluster/scheduler/extenders/extender.ts'
import { type ActiveFilter, NONE_NOMINATED } from '../../src/cluster/scheduler/find-node.ts'
import { type Plugin, type Status, unresolvable, unschedulable } from '../../src/cluster/scheduler/framework.ts'
import {
  bestCandidate,
  findCandidates,
  ineligibility,
  type PreemptionCandidate,
  type PreemptionInput,
  preemptionCandidates,
  preemptionOf,
} from '../../src/cluster/scheduler/preemption.ts'
import type { Logger } from '../../src/lib/log.ts'
import { runAtOnce } from '../../src/lib/steps.ts'
import type { Release } from '../../src/lifecycle/release.ts'
import type { Parts } from './parts.ts'
import { type PluginCase, worldOf } from './plugin-cases.ts'

/** A case of preemption: the nodes by their names and one capacity, and the filters that run. */
export interface PreemptionCase extends PluginCase {
  readonly nodeNames?: readonly string[]
  readonly nodeCapacity?: Parts
  readonly filters?: readonly { readonly register: string }[]
  /** Codes of the nodes after filtering. `*` stands for nodes that are not named. */
  readonly filterStatuses?: Readonly<Record<string, 'Unschedulable' | 'UnschedulableAndUnresolvable'>>
  readonly extenders?: unknown
}

const filterPlugin = (name: string, isFeasible: (pod: string, node: string) => boolean): Plugin => ({
  name,
  preFilter: ({ pod }) => ({
    filter: { check: node => (isFeasible(pod.metadata.name ?? '', node.name) ? undefined : unschedulable(name)) },
  }),
})

const FAKES: readonly Plugin[] = [
  filterPlugin('TrueFilter', () => true),
  filterPlugin('FalseFilter', () => false),
  filterPlugin('MatchFilter', (pod, node) => pod === node),
]

const extenderOf = (accepts: (node: string) => boolean, isInterested = true): Extender =>
  ({
    name: 'extender',
    preempts: true,
    isIgnorable: true,
    isInterested: () => isInterested,
    preempt: async (_: Pod, candidates: readonly PreemptionCandidate[]) =>
      new Map(
        candidates
          .filter(({ node }) => accepts(node.name))
          .map(({ node, victims, violations }) => [node.name, { uids: victims.map(({ pod }) => pod.metadata.uid ?? ''), violations }]),
      ),
  }) as Partial<Extender> as Extender

/** Returns the extenders of a case by its name. Undefined if that does not tell their rules. */
function extendersOf({ extenders, name }: PreemptionCase): readonly Extender[] | undefined {
  if (extenders === undefined) return []
  if (/not interested/.test(name)) return [extenderOf(node => node === 'node1', false)]
  if (/allow only node1/.test(name)) return [extenderOf(node => node === 'node1')]
  return /do not allow any/.test(name) ? [extenderOf(() => false)] : undefined
}

/** Replaces `@now` and `@t+3ns`, of which only the order matters, by times. */
function withTimes(one: PreemptionCase): PreemptionCase {
  const timed = JSON.stringify(one).replace(/"@(?:now|t)([+-][0-9]+)?[a-z]*"/g, (_, offset: string | undefined) =>
    JSON.stringify(new Date(1_900_000_000_000 + 1000 * Number(offset ?? 0)).toISOString()),
  )
  return JSON.parse(timed)
}

/** A name such as `a/z1/r1` stands for the labels of host, zone and region. */
function nodeOf(name: string, capacity: Parts = {}): Parts {
  const [hostname = '', zone, region] = name.split('/')
  const labels = { hostname, ...(zone && { zone }), ...(region && { region }), 'kubernetes.io/hostname': hostname }
  return { metadata: { name: hostname, labels }, status: { allocatable: capacity } }
}

/**
 * Describes each difference between preemption and the expectation. Undefined if the case needs extenders whose rules its
 * name does not tell, a plugin that fails, or several cycles.
 */
export async function preemptionDifferences(one: PreemptionCase, expected: Parts, release: Release): Promise<string[] | undefined> {
  const { nodeNames = [], nodeCapacity, filters, filterStatuses, args = {} } = one
  const extenders = extendersOf(one)
  if (extenders === undefined || expected.status?.code === 'Error') return undefined
  // Cases of groups differ by gates that are only in their names.
  if (/offset across|with SchedulingGroup/.test(one.name)) return undefined
  const world: PluginCase = { ...withTimes(one), nodes: one.nodes ?? nodeNames.map(name => nodeOf(name, nodeCapacity)) }
  const { pod, snapshot } = worldOf(world, release)
  const built = defaultPlugins({}, release, () => false).map(({ plugin }) => plugin)
  const names = filters?.map(({ register }) => register) ?? ['NodeResourcesFit']
  const plugins = [...built, ...FAKES].filter(({ name }) => names.includes(name)).map(plugin => ({ plugin, weight: 1 }))
  const statuses = new Map<string, Status>(
    snapshot.nodes.map(({ name }) => {
      const code = filterStatuses?.[name] ?? filterStatuses?.['*'] ?? 'Unschedulable'
      return [name, code === 'Unschedulable' ? unschedulable('rejected') : unresolvable('rejected')]
    }),
  )
  const infeasible = { nodeCount: snapshot.nodes.length, preFilterReason: '', statuses, plugins: new Set<string>() }
  if (expected.eligible !== undefined) {
    const isEligible = ineligibility(pod.pod, snapshot, infeasible) === undefined
    return isEligible === expected.eligible ? [] : [`eligible: expected ${expected.eligible}, is ${isEligible}`]
  }
  const prepared = plugins.flatMap(({ plugin }): ActiveFilter[] => {
    const { filter, status } = plugin.preFilter?.(pod, snapshot) ?? {}
    return filter && !status ? [{ plugin: plugin.name, filter }] : []
  })
  const input: PreemptionInput = { pod, snapshot, infeasible, filters: prepared, nominated: NONE_NOMINATED, args, random: () => 0 }
  return compare(expected, input, extenders)
}

async function compare(expected: Parts, input: PreemptionInput, extenders: readonly Extender[]): Promise<string[]> {
  if (expected.candidates || expected.bestOneOf) {
    const candidates = runAtOnce(findCandidates(input, new Map()))
    const found = expected.candidates ? candidates.map(described).sort() : bestCandidate(candidates)?.node.name
    const wanted = expected.candidates?.map(describedAs).sort()
    if (expected.bestOneOf) return expected.bestOneOf.includes(found) ? [] : [`best: expected ${expected.bestOneOf}, is ${found}`]
    return JSON.stringify(found) === JSON.stringify(wanted) ? [] : [`candidates: expected ${wanted}, are ${found}`]
  }
  const found = runAtOnce(preemptionCandidates(input))
  const calls = { signal: new AbortController().signal, logger: { warn: () => {} } as unknown as Logger }
  const result = 'message' in found ? found : preemptionOf(await preemptByExtenders(input.pod.pod, found, extenders, calls))
  const nominated = 'candidate' in result ? result.candidate.node.name : ''
  const differences = nominated === expected.nominatedNode ? [] : [`nominated: expected ${expected.nominatedNode}, is ${nominated}`]
  const [reason] = expected.status?.reasons ?? []
  if (reason !== undefined && 'message' in result && result.message !== reason)
    differences.push(`reason: expected ${reason}, is ${result.message}`)
  return differences
}

/** Victims are listed by name, as the tables have them. */
const described = ({ node, victims, violations }: PreemptionCandidate): string =>
  `${node.name}: ${victims
    .map(({ pod }) => pod.metadata.name)
    .sort()
    .join(' ')} (${violations})`
const describedAs = ({ node, victims, pdbViolations }: Parts): string => `${node}: ${victims.join(' ')} (${pdbViolations})`
