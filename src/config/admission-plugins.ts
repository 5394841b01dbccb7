import { isOnByDefault, isPluginName, isPluginOf, type PluginName, pluginsInOrder } from '../admission/plugin-names.ts'
import type { Release } from '../lifecycle/release.ts'
import { FlagError } from './parse-flags.ts'

/** What the three flags were given; undefined where one was not. `only`: `--admission-control`, which names all that run. */
export interface GivenPlugins {
  readonly enable: readonly string[] | undefined
  readonly disable: readonly string[] | undefined
  readonly only: readonly string[] | undefined
}

/** The admission plugins of the release that are on, in the order in which they are asked. Throws FlagError, also for one that is asked for, is not on by default and is not built. */
export function admissionPluginsOf(release: Release, { enable, disable, only }: GivenPlugins): readonly PluginName[] {
  if (only && (enable ?? disable)) throw new FlagError('admission-control and enable-admission-plugins/disable-admission-plugins flags are mutually exclusive')
  const named = (flag: string, given: readonly string[] | undefined): PluginName[] => namesOf(release, flag, given)
  const asked = named('admission-control', only).concat(named('enable-admission-plugins', enable))
  const off = named('disable-admission-plugins', disable)
  const both = asked.filter(name => off.includes(name)).sort()
  if (both.length > 0) throw new FlagError(`[${both.join(' ')}] in enable-admission-plugins and disable-admission-plugins overlapped`)
  return pluginsInOrder(name => asked.includes(name) || (only === undefined && isPluginOf(release, name) && isOnByDefault(name) && !off.includes(name)))
}

/** Throws FlagError for a name that no plugin of the release has. */
function namesOf(release: Release, flag: string, given: readonly string[] = []): PluginName[] {
  return given.map(name => {
    if (isPluginName(name) && isPluginOf(release, name)) return name
    throw new FlagError(`${flag} plugin ${JSON.stringify(name)} is unknown`)
  })
}
