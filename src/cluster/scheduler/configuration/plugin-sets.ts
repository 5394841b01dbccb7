import type { Plugin } from '../framework.ts'
import type { EnabledPlugin } from '../profile.ts'

/** Extension points of the scheduling framework, as a configuration names them. */
export const EXTENSION_POINTS = [
  'preEnqueue',
  'queueSort',
  'preFilter',
  'filter',
  'postFilter',
  'preScore',
  'score',
  'reserve',
  'permit',
  'preBind',
  'bind',
  'postBind',
] as const
export type ExtensionPoint = (typeof EXTENSION_POINTS)[number]

/** An entry of a plugin set. */
export interface PluginEntry {
  /** Required. `*` stands for all in `disabled`. */
  readonly name?: string
  /** Weight of the scores. Defaults to 1. Only for `score` and `multiPoint`. */
  readonly weight?: number
}

/** Plugins that a configuration adds to an extension point, or removes from it. `*` removes all. */
export interface PluginSet {
  readonly enabled?: readonly PluginEntry[]
  readonly disabled?: readonly PluginEntry[]
}

/** Plugin sets by extension point. `multiPoint` applies to every point that a plugin extends. */
export type PluginSets = Readonly<Partial<Record<ExtensionPoint | 'multiPoint', PluginSet>>>

/** Plugins that the scheduler runs by itself, with the point that each extends. */
const OWN: readonly (readonly [string, readonly ExtensionPoint[]])[] = [
  ['PrioritySort', ['queueSort']],
  ['DefaultPreemption', ['postFilter']],
  ['DefaultBinder', ['bind']],
]

/** Plugins of a profile after its plugin sets were applied. */
export interface ChosenPlugins {
  /** Built plugins, in the order in which their filters are called. */
  readonly plugins: readonly EnabledPlugin[]
  /** Names of all enabled plugins by extension point, in order. */
  readonly byPoint: ReadonlyMap<ExtensionPoint, readonly string[]>
}

/**
 * Applies plugin sets to the default plugins. Source: mergePlugins of pkg/scheduler/apis/config/v1,
 * expandMultiPointPlugins of pkg/scheduler/framework/runtime.
 */
export function choosePlugins(defaults: readonly EnabledPlugin[], sets: PluginSets): ChosenPlugins {
  const built = new Map(defaults.map(one => [one.plugin.name, one]))
  const everywhere = mergedWithDefaults([...built.keys(), ...OWN.map(([name]) => name)], sets.multiPoint)
  const byPoint = new Map<ExtensionPoint, readonly string[]>()
  for (const point of EXTENSION_POINTS) byPoint.set(point, atPoint(point, everywhere, sets[point], built))
  const weights = new Map<string, number>()
  for (const { name = '', weight } of [...(sets.score?.enabled ?? []), ...(sets.multiPoint?.enabled ?? [])])
    if (!weights.has(name)) weights.set(name, weight || 1)
  const names = new Set([...byPoint.values()].flat())
  // Filters are called in this order. That of other points has no effect on the result.
  const ordered = [...new Set([...(byPoint.get('filter') ?? []), ...names])]
  const plugins = ordered.flatMap(name => {
    const one = built.get(name)
    if (one === undefined) return []
    const has = (point: ExtensionPoint): boolean => byPoint.get(point)?.includes(name) ?? false
    return [{ plugin: withEnabledPoints(one.plugin, has), weight: has('score') ? (weights.get(name) ?? one.weight) : 0 }]
  })
  return { plugins, byPoint }
}

/** Keeps the order of defaults, and appends other plugins. */
function mergedWithDefaults(defaults: readonly string[], { enabled = [], disabled = [] }: PluginSet = {}): string[] {
  const isOff = (name: string): boolean => disabled.some(entry => entry.name === name || entry.name === '*')
  const added = enabled.map(({ name = '' }) => name)
  const kept = defaults.filter(name => !isOff(name))
  return [...kept, ...added.filter(name => !kept.includes(name))]
}

/**
 * Returns the plugins of an extension point: those enabled there first if they also are enabled everywhere, in their
 * order there.
 */
function atPoint(
  point: ExtensionPoint,
  everywhere: readonly string[],
  set: PluginSet | undefined,
  built: ReadonlyMap<string, EnabledPlugin>,
): string[] {
  const own = (set?.enabled ?? []).map(({ name = '' }) => name)
  const isOff = (name: string): boolean => set?.disabled?.some(entry => entry.name === name || entry.name === '*') ?? false
  const general = everywhere.filter(name => extendsPoint(name, built.get(name)?.plugin, point))
  const overriding = own.filter(name => general.includes(name) && !isOff(name))
  const others = general.filter(name => !isOff(name) && !own.includes(name))
  return [...overriding, ...others, ...own.filter(name => !overriding.includes(name))]
}

/** Reports whether a plugin has code for an extension point. */
function extendsPoint(name: string, plugin: Plugin | undefined, point: ExtensionPoint): boolean {
  if (plugin === undefined) return OWN.some(([own, points]) => own === name && points.includes(point))
  switch (point) {
    case 'preEnqueue':
      return plugin.preEnqueue !== undefined
    case 'preFilter':
    case 'filter':
    case 'reserve':
    case 'preBind':
      return plugin.preFilter !== undefined
    case 'permit':
      return plugin.permit !== undefined
    case 'preScore':
    case 'score':
      return plugin.preScore !== undefined
    default:
      return false
  }
}

/** Returns a plugin without its points that are disabled. */
function withEnabledPoints(plugin: Plugin, has: (point: ExtensionPoint) => boolean): Plugin {
  const { preEnqueue, prepareFilter, preFilter, permit, prepareScore, preScore, ...rest } = plugin
  return {
    ...rest,
    ...(preEnqueue && has('preEnqueue') && { preEnqueue }),
    ...(prepareFilter && has('filter') && { prepareFilter }),
    ...(preFilter && has('filter') && { preFilter }),
    ...(permit && has('permit') && { permit }),
    ...(prepareScore && has('score') && { prepareScore }),
    ...(preScore && has('score') && { preScore }),
  }
}
