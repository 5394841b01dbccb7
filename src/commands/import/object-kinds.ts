import type { CustomResourceDefinition } from '../../api/apiextensions/v1.types.ts'
import { ConversionMetrics } from '../../extensions/conversion/metrics.ts'
import type { ConversionServices } from '../../extensions/conversion/webhook-converter.ts'
import { customResource } from '../../extensions/custom-resource.ts'
import type { Release } from '../../lifecycle/release.ts'
import { versionsOf } from '../../registry/conversion/convert.ts'
import { ReleaseKinds, type ServedKind } from '../../upgrade/versions/release-kinds.ts'

/** Kinds of a release, and of the imported CustomResourceDefinitions, by apiVersion and kind. */
export class ObjectKinds {
  readonly #builtIn: ReleaseKinds
  readonly #custom = new Map<string, ServedKind>()

  constructor(release: Release) {
    this.#builtIn = new ReleaseKinds(release)
  }

  find(apiVersion: string, kind: string): ServedKind | undefined {
    return this.#builtIn.find({ apiVersion, kind }) ?? this.#custom.get(`${apiVersion} ${kind}`)
  }

  /** Adds the kind of a definition. Throws if the definition is invalid. */
  define(definition: CustomResourceDefinition): void {
    const resource = customResource(established(definition), NO_CONVERSION)
    if (resource === undefined) return
    for (const [apiVersion, version] of versionsOf(resource))
      this.#custom.set(`${apiVersion} ${version.kind}`, { definition: resource, version })
  }
}

/** Conversion webhooks are not called: objects are stored in the version in which they are read. */
const NO_CONVERSION: ConversionServices = {
  post: () => Promise.reject(new Error('conversion webhooks are not called')),
  metrics: new ConversionMetrics(),
}

/** Returns the definition with the status that a server sets at start-up. Manifests have no status. */
function established(definition: CustomResourceDefinition): CustomResourceDefinition {
  const { names } = definition.spec
  const condition = { type: 'Established', status: 'True', lastTransitionTime: null, reason: '', message: '' }
  const acceptedNames = { ...names, singular: names.singular || names.kind.toLowerCase(), listKind: names.listKind || `${names.kind}List` }
  return { ...definition, status: { ...definition.status, acceptedNames, conditions: [condition] } }
}
