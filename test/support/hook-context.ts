import type { TypedObject } from '../../src/api/meta/object.ts'
import type { ResourceDefinition } from '../../src/catalog/definition.ts'
import type { HookContext } from '../../src/catalog/strategy.ts'
import { typesOf } from '../../src/catalog/types.ts'
import { withFeatures } from '../../src/catalog/with-features.ts'
import { runAtOnce } from '../../src/lib/steps.ts'
import { type Features, parseGates } from '../../src/lifecycle/gates.ts'
import type { Release } from '../../src/lifecycle/release.ts'
import { storageVersionIn } from '../../src/lifecycle/storage-versions.ts'
import { fieldsTurnedOff } from '../../src/registry/disabled-fields.ts'
import { UNOBSERVED } from '../../src/schema/declared-rules.ts'
import { dropGatedFields } from '../../src/schema/gated-fields.ts'

/** The features of release 1.33 with some gates set: `ContainerStopSignals=true`. */
export const featuresOf = (...gates: string[]) =>
  parseGates('1.33', new Map(gates.map(text => text.split('=') as [string, string]).map(([name, value]) => [name, value === 'true'])))

/** The features of another release with some gates set. */
export const featuresIn = (release: Release, gates: Record<string, boolean> = {}) => parseGates(release, new Map(Object.entries(gates)))

/** The definition as a server with these features has it. */
export const definitionIn = (definition: ResourceDefinition, features: Features): ResourceDefinition =>
  withFeatures(definition, {
    features,
    storedIn: kind => storageVersionIn(features.release, kind, features.compatibility),
    schemaOf: schema => (schema.id === undefined ? schema : typesOf(features.release).type(schema.id)),
  })

/** Clears fields whose gate is off from an object that is written, as the registry does before `prepare`. */
export const clearTurnedOff = ({ hub }: ResourceDefinition, { features }: HookContext, next: TypedObject, old?: TypedObject): void =>
  runAtOnce(dropGatedFields(fieldsTurnedOff(features, hub.schema), next, old))

/** A context for hooks, of release 1.33 with its default gates. */
export const hookContext = (own: Partial<HookContext> = {}): HookContext => ({
  now: 0,
  subresource: '',
  features: featuresOf(),
  access: noAccess,
  declared: UNOBSERVED,
  ...own,
})

function noAccess(): never {
  throw new Error('the hook reads no other objects')
}
