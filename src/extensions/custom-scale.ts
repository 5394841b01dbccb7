import type { JsonSchemaProps } from '../api/apiextensions/json-schema-props.ts'
import type { CustomResourceSubresources } from '../api/apiextensions/v1.types.ts'
import type { Scale } from '../api/autoscaling/v1.types.ts'
import { isJsonObject, type Json, type JsonObject, type KubeObject } from '../api/meta/object.ts'
import { goPrint, printedType } from '../apply/patch/go-print.ts'
import type { Subresource, SubresourceView } from '../catalog/definition.ts'
import { errorMessage } from '../lib/error-message.ts'
import { formatDouble } from '../lib/format-double.ts'
import { ownMember } from '../meta/equal.ts'
import { type FieldError, invalid } from '../meta/field-error.ts'
import { FieldPath } from '../meta/field-path.ts'
import { badRequestError, failure, internalServerError } from '../meta/status.ts'
import { isGoInteger, isWholeFloat } from '../meta/whole-floats.ts'
import { scaleOf, scaleOver } from '../resources/shared/scale.ts'
import { lacksDefault } from '../schema/json-schema/fill-defaults.ts'
import { propertySchema } from '../schema/json-schema/props.ts'
import { AGE, customTable } from './custom-table.ts'

type ScalePaths = NonNullable<CustomResourceSubresources['scale']>

const MAX_INT32 = 2147483647
/** Replicas in a Scale that a write starts from if the field is unset. Upstream's marker. */
const UNSET = -2147483648

/** Splits a path such as `.spec.replicas` into member names. */
const pathNames = (path: string): string[] => path.replace(/^\./, '').split('.')

/**
 * Returns the value at a path. Undefined if it is absent or the path leads through null. Throws upstream's message if a
 * value on the path is not an object, or if `take` rejects the type.
 */
function valueAt<T extends Json>(
  object: KubeObject,
  path: string,
  type: string,
  take: (value: Json, isFloat: boolean) => value is T,
): T | undefined {
  let value: Json = object
  let isFloat = false
  const names = pathNames(path)
  for (const [i, name] of names.entries()) {
    if (value === null) return undefined
    if (!isJsonObject(value)) {
      throw new Error(
        `.${names.slice(0, i + 1).join('.')} accessor error: ${goPrint(value)} is of the type ${printedType(value)}, expected map[string]interface{}`,
      )
    }
    isFloat = isWholeFloat(value, name)
    const member: Json | undefined = ownMember(value, name)
    if (member === undefined) return undefined
    value = member
  }
  if (take(value, isFloat)) return value
  const [text, found] = isFloat && typeof value === 'number' ? [formatDouble(value), 'float64'] : [goPrint(value), printedType(value)]
  throw new Error(`.${names.join('.')} accessor error: ${text} is of the type ${found}, expected ${type}`)
}

const isInteger = (value: Json, isFloat: boolean): value is number | bigint =>
  (typeof value === 'number' || typeof value === 'bigint') && isGoInteger(value, isFloat)

const integerAt = (object: KubeObject, path: string): number | bigint | undefined => valueAt(object, path, 'int64', isInteger)
const textAt = (object: KubeObject, path: string): string | undefined =>
  valueAt(object, path, 'string', (value): value is string => typeof value === 'string')

function countAt(object: KubeObject, path: string): number | undefined {
  const count = integerAt(object, path)
  return count === undefined ? undefined : Number(count)
}

/** Converts an error to a 500 without reason, as upstream returns plain errors. */
function readScaleField<T>(get: () => T): T {
  try {
    return get()
  } catch (error) {
    throw failure(500, '', errorMessage(error))
  }
}

/** Builds the Scale of a custom object from the paths of its definition. */
function scaleOfObject(parent: KubeObject, paths: ScalePaths, replicas: number): Scale {
  const { labelSelectorPath } = paths
  const current = readScaleField(() => countAt(parent, paths.statusReplicasPath)) ?? 0
  const selector = labelSelectorPath ? readScaleField(() => textAt(parent, labelSelectorPath)) : undefined
  return scaleOf(parent, replicas, current, selector ?? '')
}

/** View of a custom object as Scale. Only replicas can be written. */
function scaleView(paths: ScalePaths): SubresourceView<KubeObject, Scale> {
  const { specReplicasPath } = paths
  const wanted = (parent: KubeObject): number | undefined => readScaleField(() => countAt(parent, specReplicasPath))
  return {
    get(parent) {
      const replicas = wanted(parent)
      if (replicas === undefined) throw internalServerError(`the spec replicas field ${JSON.stringify(specReplicasPath)} does not exist`)
      return scaleOfObject(parent, paths, replicas)
    },
    answer: parent => scaleOfObject(parent, paths, wanted(parent) ?? 0),
    draft: parent => scaleOfObject(parent, paths, wanted(parent) ?? UNSET),
    put(parent, view) {
      const replicas = view.spec.replicas ?? 0
      if (replicas === UNSET) throw badRequestError(`the spec replicas field ${JSON.stringify(specReplicasPath)} cannot be empty`)
      setAt(parent, pathNames(specReplicasPath), replicas)
      return parent
    },
    fields: { 'spec.replicas': pathNames(specReplicasPath) },
    declaredRules: false,
  }
}

/**
 * Whether an object on the path to the wanted replicas lacks a default: a Scale creates missing objects, and leaves
 * setting their defaults to readers.
 */
export function lacksScaleDefaults(parent: KubeObject, { specReplicasPath }: ScalePaths, schema: JsonSchemaProps | undefined): boolean {
  let value: Json | undefined = parent
  let found = schema
  for (const name of pathNames(specReplicasPath).slice(0, -1)) {
    value = isJsonObject(value) ? ownMember(value, name) : undefined
    found = found && propertySchema(found, name)
    if (!isJsonObject(value) || !found) return false
    if (lacksDefault(value, found)) return true
  }
  return false
}

/** Sets a number at a path and creates missing objects. */
function setAt(parent: KubeObject, names: readonly string[], value: number): void {
  let object: JsonObject = parent
  for (const [i, name] of names.slice(0, -1).entries()) {
    if (object[name] === undefined) object[name] = {}
    const next = object[name]
    if (!isJsonObject(next)) {
      throw failure(500, '', `value cannot be set because .${names.slice(0, i + 1).join('.')} is not a map[string]interface{}`)
    }
    object = next
  }
  object[names.at(-1) ?? ''] = value
}

/** As upstream for custom kinds, absent numbers are empty cells. */
const table = customTable([
  { name: 'Desired', type: 'integer', jsonPath: '.spec.replicas', description: 'Number of instances wanted.' },
  { name: 'Available', type: 'integer', jsonPath: '.status.replicas', description: 'Number of instances observed.' },
  AGE,
])

/** Subresource scale of a custom kind: autoscaling/v1 Scale over the fields that its definition names. */
export const customScale = (paths: ScalePaths): Subresource => scaleOver(scaleView(paths), table)

const at = (path: string): FieldPath => new FieldPath(path)

/** Validates a count: negative, above int32 or not an integer. An absent count is 0. */
function countErrors(object: KubeObject, path: string): FieldError[] {
  try {
    const count = integerAt(object, path) ?? 0
    if (count < 0) return [invalid(at(path), count, 'should be a non-negative integer')]
    return count > MAX_INT32 ? [invalid(at(path), count, `should be less than or equal to ${MAX_INT32}`)] : []
  } catch (error) {
    return [invalid(at(path), 0, errorMessage(error))]
  }
}

/** Validates the wanted replicas. */
export const scaleSpecErrors = (object: KubeObject, paths: ScalePaths | undefined): FieldError[] =>
  paths ? countErrors(object, paths.specReplicasPath) : []

/** Validates the observed replicas and the selector. */
export function scaleStatusErrors(object: KubeObject, paths: ScalePaths | undefined): FieldError[] {
  if (!paths) return []
  const errors = countErrors(object, paths.statusReplicasPath)
  const { labelSelectorPath } = paths
  if (!labelSelectorPath) return errors
  try {
    textAt(object, labelSelectorPath)
    return errors
  } catch (error) {
    return [...errors, invalid(at(labelSelectorPath), '', errorMessage(error))]
  }
}
