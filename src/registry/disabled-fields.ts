import { invariant } from '../lib/invariant.ts'
import { isGateName } from '../lifecycle/feature-gates.ts'
import type { Features } from '../lifecycle/gates.ts'
import { type GatedField, gatedFields } from '../schema/gated-fields.ts'
import type { StructSchema } from '../schema/schema.ts'

/** Fields whose gate is off, by the features of a server and the type. */
const found = new WeakMap<Features, WeakMap<StructSchema, readonly GatedField[]>>()

/** Returns the fields of a type that writes clear because their feature gate is off. The result is computed once. */
export function fieldsTurnedOff(features: Features, schema: StructSchema): readonly GatedField[] {
  const known = found.get(features) ?? new WeakMap<StructSchema, readonly GatedField[]>()
  found.set(features, known)
  const off = known.get(schema) ?? gatedFields(schema).filter(field => isOff(features, field))
  known.set(schema, off)
  return off
}

function isOff(features: Features, { gate, path }: GatedField): boolean {
  invariant(isGateName(gate), `the field ${path.at(-1)?.name} needs the feature gate ${gate}, which no release has`)
  return !features.enabled(gate)
}
