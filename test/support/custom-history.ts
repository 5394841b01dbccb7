import type { JsonSchemaProps } from '../../src/api/apiextensions/json-schema-props.ts'
import type { Json, JsonObject, ManagedFieldsEntry, ObjectMeta } from '../../src/api/meta/object.ts'
import { ApplyError } from '../../src/apply/apply-error.ts'
import { updateManagedFields } from '../../src/apply/managed-fields.ts'
import { runAtOnce } from '../../src/lib/steps.ts'
import { clone } from '../../src/meta/equal.ts'
import { fieldErrorText } from '../../src/meta/field-error.ts'
import { fieldPath } from '../../src/meta/field-path.ts'
import { sameJson } from '../../src/meta/same-json.ts'
import { decode } from '../../src/schema/decode.ts'
import { customStruct } from '../../src/schema/json-schema/custom-struct.ts'
import { additionalSchema, itemsSchema, propertySchema } from '../../src/schema/json-schema/props.ts'
import { prune } from '../../src/schema/json-schema/prune.ts'
import type { StructSchema } from '../../src/schema/schema.ts'
import { TYPED } from '../../src/schema/typed-form.ts'
import type { AnyObject } from './any-object.ts'
import { applyConfiguration, applyJsonPatch, applyMergePatch, validateValue } from './at-once.ts'

/**
 * One write of a history. `body`: a patch, or an object without what every body of the history has (apiVersion, kind,
 * name).
 */
export interface HistoryStep {
  readonly op: 'apply' | 'put' | 'merge' | 'json'
  readonly subresource?: 'status'
  readonly manager: string
  readonly force?: boolean
  readonly body: Json
}

/** Result of a write: an object with its managers, or the reason of the rejection. */
export interface HistoryAnswer {
  readonly status: number
  readonly object?: JsonObject
  readonly managed?: readonly JsonObject[]
  readonly message?: string
}

const HEAD = { apiVersion: 'random.probe.dev/v1', kind: 'Merge' }
const RESET = { '': [['status']], status: [['spec']] }

/**
 * An object of a custom kind with its writes, as far as merging and ownership go: no store, no admission, and
 * validation of single values only.
 */
export class CustomHistory {
  readonly #schema: StructSchema
  readonly #props: JsonSchemaProps
  #live: AnyObject | undefined

  constructor(props: JsonSchemaProps) {
    this.#props = props
    this.#schema = typedStruct(props)
  }

  /** `now`: RFC 3339 in whole seconds. */
  write(step: HistoryStep, now: string): HistoryAnswer {
    try {
      const written = step.op === 'apply' ? this.#applied(step, now) : this.#updated(step, now)
      const faults = validateValue({ ...written, metadata: {} } as unknown as Json, this.#props, fieldPath())
      if (faults.length > 0)
        return { status: 422, message: `Merge.random.probe.dev "x" is invalid: ${faults.map(fieldErrorText).join(', ')}` }
      const status = this.#live === undefined ? 201 : 200
      this.#live = written
      return { status, ...shown(written) }
    } catch (error) {
      if (error instanceof ApplyError) return { status: error.code === 'conflict' ? 409 : 500, message: error.message }
      throw error
    }
  }

  #applied({ manager, force, subresource, body }: HistoryStep, now: string): AnyObject {
    const sent = body as JsonObject
    const config = { ...HEAD, ...sent, metadata: { name: 'x', ...(sent.metadata as JsonObject | undefined) } }
    const { object, managedFields } = applyConfiguration({
      schema: this.#schema,
      live: this.#live,
      config,
      manager,
      ...{ ...HEAD, force: force === true, subresource, resetFields: RESET[subresource ?? ''], now },
    })
    return this.#stored(object, managedFields, subresource)
  }

  #updated({ op, manager, body, subresource }: HistoryStep, now: string): AnyObject {
    const live = this.#live as AnyObject
    const document = live as unknown as JsonObject
    const sent = body as JsonObject
    const put = { ...HEAD, ...sent, metadata: { name: 'x', ...(sent.metadata as JsonObject | undefined) } }
    const next = this.#decoded(op === 'put' ? put : op === 'merge' ? applyMergePatch(document, body) : applyJsonPatch(document, body))
    const args = {
      schema: this.#schema,
      old: live,
      next,
      manager,
      apiVersion: HEAD.apiVersion,
      subresource,
      resetFields: RESET[subresource ?? ''],
      now,
    }
    return this.#stored(next, updateManagedFields(args), subresource)
  }

  #decoded(object: Json): AnyObject {
    const next = clone(object) as JsonObject
    runAtOnce(prune(next, this.#props, true))
    fillDefaults(next, this.#props)
    const metadata = decode(
      this.#schema.fields.get('metadata')?.schema as StructSchema,
      (next.metadata ?? {}) as JsonObject,
    ) as unknown as ObjectMeta
    return { ...next, metadata } as unknown as AnyObject
  }

  #stored(object: AnyObject, managedFields: ManagedFieldsEntry[], subresource: string | undefined): AnyObject {
    const { managedFields: _, ...metadata } = (subresource && this.#live ? this.#live : this.#decoded(object as unknown as Json)).metadata
    const { status, ...rest } = this.#decoded(object as unknown as Json)
    const body = subresource ? { ...this.#live, status } : { ...rest, status: this.#live?.status }
    for (const name of Object.keys(body)) if (body[name as 'status'] === undefined) delete body[name as 'status']
    const next = { ...body, metadata } as AnyObject
    const before = this.#live && { ...this.#live, metadata: { ...this.#live.metadata, managedFields: undefined } }
    const same =
      before !== undefined && sameJson(before as never, { ...next, metadata: { ...metadata, managedFields: undefined } } as never)
    const untimed = (entries: readonly ManagedFieldsEntry[]): Json => entries.map(({ time: _t, ...entry }) => entry) as unknown as Json
    if (same && sameJson(untimed(managedFields), untimed(this.#live?.metadata.managedFields ?? []))) return this.#live as AnyObject
    return { ...next, metadata: { ...metadata, ...(managedFields.length > 0 && { managedFields }) } }
  }
}

function fillDefaults(value: Json | undefined, props: JsonSchemaProps | undefined): void {
  if (typeof value !== 'object' || value === null || props === undefined) return
  if (Array.isArray(value)) for (const item of value) fillDefaults(item, itemsSchema(props))
  else {
    for (const [name, member] of Object.entries(props.properties ?? {}))
      if (member.default !== undefined && !Object.hasOwn(value, name)) value[name] = clone(member.default)
    for (const name of Object.keys(value)) fillDefaults(value[name], propertySchema(props, name) ?? additionalSchema(props))
  }
}

function shown({ metadata, spec, status }: AnyObject): Pick<HistoryAnswer, 'object' | 'managed'> {
  const { labels, annotations, managedFields = [] } = metadata
  const object = {
    ...(labels && { labels }),
    ...(annotations && { annotations }),
    ...(spec !== undefined && { spec }),
    ...(status !== undefined && { status }),
  }
  const managed = managedFields.map(({ manager, operation, subresource, fieldsV1 }) => ({
    manager,
    operation,
    ...(subresource && { subresource }),
    fieldsV1,
  }))
  return { object: object as JsonObject, managed: managed as unknown as JsonObject[] }
}

/** Schema of the kind for apply, which does not prune its result again. */
const typedStruct = (props: JsonSchemaProps): StructSchema => customStruct(props, { kind: 'X', definition: 'x.v1.X', form: TYPED })
