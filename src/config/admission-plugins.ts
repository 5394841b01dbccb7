import { isOnByDefault, isPluginName, isPluginOf, type PluginName, pluginsInOrder } from '../admission/plugin-names.ts'
import type { Release } from '../lifecycle/release.ts'
import { FlagError } from './parse-flags.ts'

/**
 * Values of the three flags for admission plugins. Undefined if a flag is not given. `only` is `--admission-control`,
 * which lists all enabled plugins.
 */
export interface GivenPlugins {
  readonly enable: readonly string[] | undefined
  readonly disable: readonly string[] | undefined
  readonly only: readonly string[] | undefined
}

/**
 * Returns the enabled admission plugins of the release, in the order in which they run. Throws FlagError if a plugin is
 * unknown.
 */
export function admissionPluginsOf(release: Release, { enable, disable, only }: GivenPlugins): readonly PluginName[] {
  if (only && (enable ?? disable))
    throw new FlagError('admission-control and enable-admission-plugins/disable-admission-plugins flags are mutually exclusive')
  const named = (flag: string, given: readonly string[] | undefined): PluginName[] => checkPluginNames(release, flag, given)
  const asked = named('admission-control', only).concat(named('enable-admission-plugins', enable))
  const off = named('disable-admission-plugins', disable)
  const both = asked.filter(name => off.includes(name)).sort()
  if (both.length > 0) throw new FlagError(`[${both.join(' ')}] in enable-admission-plugins and disable-admission-plugins overlapped`)
  return pluginsInOrder(
    name => asked.includes(name) || (only === undefined && isPluginOf(release, name) && isOnByDefault(name) && !off.includes(name)),
  )
}

/** Validates plugin names. Throws FlagError if the release lacks one. */
function checkPluginNames(release: Release, flag: string, given: readonly string[] = []): PluginName[] {
  return given.map(name => {
    if (isPluginName(name) && isPluginOf(release, name)) return name
    throw new FlagError(`${flag} plugin ${JSON.stringify(name)} is unknown`)
  })
}
