import type { HookContext, ResourceDefinition } from '../../src/catalog/definition.ts'
import { runAtOnce } from '../../src/lib/steps.ts'
import { parseGates } from '../../src/lifecycle/gates.ts'
import type { TypedObject } from '../../src/meta/object.ts'
import { fieldsTurnedOff } from '../../src/registry/gated-fields.ts'
import { UNOBSERVED } from '../../src/schema/declared-rules.ts'
import { dropGatedFields } from '../../src/schema/gated-fields.ts'

/** The features of release 1.33 with some gates set: `ContainerStopSignals=true`. */
export const featuresOf = (...gates: string[]) =>
  parseGates('1.33', new Map(gates.map(text => text.split('=') as [string, string]).map(([name, value]) => [name, value === 'true'])))

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
