import type { Features } from '../lifecycle/gates.ts'
import type { ResourceDefinition, Version } from './definition.ts'

/** The definition as a server with these features has it: its versions fill in the defaults, and have the subresources, of the features that are on. */
export function withFeatures(definition: ResourceDefinition, features: Features): ResourceDefinition {
  const { versions, unserved = [], hub, storage } = definition
  const bound = new Map<Version, Version>(
    [hub, ...versions, ...unserved, ...(storage ? [storage.version] : [])].map(version => [version, bind(version, features)]),
  )
  const of = (version: Version): Version => bound.get(version) ?? version
  if ([...bound].every(([version, same]) => version === same)) return definition
  const [first, ...more] = versions
  return {
    ...definition,
    versions: [of(first), ...more.map(of)],
    hub: of(hub),
    ...(unserved.length > 0 && { unserved: unserved.map(of) }),
    ...(storage && { storage: { ...storage, version: of(storage.version) } }),
  }
}

function bind(version: Version, features: Features): Version {
  const { setDefaults, setGatedDefaults, subresources = {} } = version
  const served = Object.entries(subresources).filter(([, { gate }]) => gate === undefined || features.enabled(gate))
  const same = served.length === Object.keys(subresources).length
  if (!setGatedDefaults && same) return version
  return {
    ...version,
    ...(!same && { subresources: Object.fromEntries(served) }),
    ...(setGatedDefaults && {
      setDefaults(object) {
        setGatedDefaults(object, features)
        return setDefaults?.(object)
      },
    }),
  }
}
