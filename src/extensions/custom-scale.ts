import { goPrint, goType } from '../apply/patch/go-print.ts'
import type { Subresource, SubresourceView } from '../catalog/definition.ts'
import { errorMessage } from '../lib/error-message.ts'
import { formatDouble } from '../lib/format-double.ts'
import { ownMember } from '../meta/equal.ts'
import { type FieldError, invalid } from '../meta/field-error.ts'
import { FieldPath } from '../meta/field-path.ts'
import type { Json, JsonObject, KubeObject } from '../meta/object.ts'
import { badRequestError, failure, internalServerError } from '../meta/status.ts'
import { isGoInteger, isWholeFloat } from '../meta/whole-floats.ts'
import type { CustomResourceSubresources } from '../resources/apiextensions/v1.types.ts'
import { scaleOf, scaleOver } from '../resources/autoscaling/scale/view.ts'
import type { Scale } from '../resources/autoscaling/v1.types.ts'
import { AGE, customTable } from './custom-table.ts'

type ScalePaths = NonNullable<CustomResourceSubresources['scale']>

const MAX_INT32 = 2147483647
/** What a write of a scale sees where nothing has been wanted yet: upstream's sign of that. */
const UNSET = -2147483648

const namesOf = (path: string): string[] => path.replace(/^\./, '').split('.')

/** A value by its path; throws what upstream says of a value that is in the way or of a wrong type. */
function valueAt(object: KubeObject, path: string, type: 'int64' | 'string'): number | bigint | string | undefined {
  let value: Json | undefined = object as unknown as Json
  let isFloat = false
  const names = namesOf(path)
  for (const [i, name] of names.entries()) {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      throw new Error(`.${names.slice(0, i + 1).join('.')} accessor error: ${goPrint(value)} is of the type ${goType(value)}, expected map[string]interface{}`)
    }
    isFloat = isWholeFloat(value, name)
    value = ownMember(value, name)
    if (value === undefined) return undefined
  }
  const fits = type === 'string' ? typeof value === 'string' : (typeof value === 'number' || typeof value === 'bigint') && isGoInteger(value, isFloat)
  if (!fits) {
    const [text, found] = isFloat ? [formatDouble(value as number), 'float64'] : [goPrint(value), goType(value)]
    throw new Error(`.${names.join('.')} accessor error: ${text} is of the type ${found}, expected ${type}`)
  }
  return value as number | bigint | string
}

function countAt(object: KubeObject, path: string): number | undefined {
  const count = valueAt(object, path, 'int64')
  return count === undefined ? undefined : Number(count)
}

/** The text of upstream's plain errors, which have no Status of their own. */
function read<T>(get: () => T): T {
  try {
    return get()
  } catch (error) {
    throw failure(500, '', errorMessage(error))
  }
}

function viewOf(parent: KubeObject, paths: ScalePaths, replicas: number): KubeObject {
  const current = read(() => countAt(parent, paths.statusReplicasPath)) ?? 0
  const selector = paths.labelSelectorPath ? read(() => valueAt(parent, paths.labelSelectorPath as string, 'string')) : undefined
  return scaleOf(parent, replicas, current, (selector ?? '') as string)
}

function scaleView(paths: ScalePaths): SubresourceView<KubeObject, Scale> {
  const { specReplicasPath } = paths
  const wanted = (parent: KubeObject): number | undefined => read(() => countAt(parent, specReplicasPath))
  return {
    get(parent) {
      const replicas = wanted(parent)
      if (replicas === undefined) throw internalServerError(`the spec replicas field ${JSON.stringify(specReplicasPath)} does not exist`)
      return viewOf(parent, paths, replicas)
    },
    answer: parent => viewOf(parent, paths, wanted(parent) ?? 0),
    draft: parent => viewOf(parent, paths, wanted(parent) ?? UNSET),
    put(parent, view) {
      const replicas = view.spec.replicas ?? 0
      if (replicas === UNSET) throw badRequestError(`the spec replicas field ${JSON.stringify(specReplicasPath)} cannot be empty`)
      setAt(parent, namesOf(specReplicasPath), replicas)
      return parent
    },
    fields: { 'spec.replicas': namesOf(specReplicasPath) },
  }
}

function setAt(parent: KubeObject, names: readonly string[], value: number): void {
  let object = parent as unknown as JsonObject
  for (const [i, name] of names.slice(0, -1).entries()) {
    object[name] ??= {}
    const next = object[name]
    if (typeof next !== 'object' || next === null || Array.isArray(next)) {
      throw failure(500, '', `value cannot be set because .${names.slice(0, i + 1).join('.')} is not a map[string]interface{}`)
    }
    object = next
  }
  object[names.at(-1) as string] = value
}

/** A number that the scale leaves out is no cell, unlike where upstream prints a built-in kind. */
const table = customTable([
  { name: 'Desired', type: 'integer', jsonPath: '.spec.replicas', description: 'Number of instances wanted.' },
  { name: 'Available', type: 'integer', jsonPath: '.status.replicas', description: 'Number of instances observed.' },
  AGE,
])

/** /scale of a custom kind: autoscaling/v1 Scale over the fields that its definition names. */
export const customScale = (paths: ScalePaths): Subresource => scaleOver(scaleView(paths), table)

const at = (path: string): FieldPath => new FieldPath(path)

function countErrors(object: KubeObject, path: string): FieldError[] {
  try {
    const count = valueAt(object, path, 'int64') ?? 0
    if ((count as number) < 0) return [invalid(at(path), count, 'should be a non-negative integer')]
    return (count as number) > MAX_INT32 ? [invalid(at(path), count, `should be less than or equal to ${MAX_INT32}`)] : []
  } catch (error) {
    return [invalid(at(path), 0, errorMessage(error))]
  }
}

/** What is wrong with the number that is wanted. */
export const scaleSpecErrors = (object: KubeObject, paths: ScalePaths | undefined): FieldError[] => (paths ? countErrors(object, paths.specReplicasPath) : [])

/** What is wrong with the number that there is, and with the selector. */
export function scaleStatusErrors(object: KubeObject, paths: ScalePaths | undefined): FieldError[] {
  if (!paths) return []
  const errors = countErrors(object, paths.statusReplicasPath)
  const { labelSelectorPath } = paths
  if (!labelSelectorPath) return errors
  try {
    valueAt(object, labelSelectorPath, 'string')
    return errors
  } catch (error) {
    return [...errors, invalid(at(labelSelectorPath), '', errorMessage(error))]
  }
}
