import type { Json } from '../../src/api/meta/object.ts'
import type { GroupVersion } from '../../src/api/meta/v1.types.ts'
import type { ResourceDefinition, Subresource } from '../../src/catalog/definition.ts'
import type { ListAccess, ResourceAccess, ResourceId } from '../../src/catalog/resource-access.ts'
import type { HookContext, Strategy } from '../../src/catalog/strategy.ts'
import { resultAtOnce, runAtOnce } from '../../src/lib/steps.ts'
import { clone, deepEqual } from '../../src/meta/equal.ts'
import type { FieldError } from '../../src/meta/field-error.ts'
import { fieldPath } from '../../src/meta/field-path.ts'
import { matchesLabels, parseLabelSelector } from '../../src/meta/label-selector.ts'
import { nameIsDnsSubdomain } from '../../src/meta/names.ts'
import { validateObjectMeta } from '../../src/meta/object-meta-validation.ts'
import { alreadyExistsError, conflictError, invalidError, notFoundError } from '../../src/meta/status.ts'
import { decode } from '../../src/schema/decode.ts'
import { applyDefaults } from '../../src/schema/default.ts'
import type { AnyObject } from './any-object.ts'
import { clearTurnedOff, featuresOf, hookContext } from './hook-context.ts'
import { kindErrors } from './kind-errors.ts'

/**
 * Kinds in a map, for tests of their hooks: decode, defaults, prepare, validate, reserve, write, in the registry's
 * order and with nothing else of it. `beforeWrite` stands between the reservation and the write: it may throw, as a
 * store does.
 */
export class KindServer implements ResourceAccess {
  readonly objects = new Map<string, AnyObject>()
  readonly warnings: string[] = []
  now = Date.parse('2026-01-02T03:04:05Z')
  features = featuresOf()
  beforeWrite: (gr: ResourceId, object: AnyObject) => Promise<void> | void = () => {}
  #revision = 1
  readonly #definitions: readonly ResourceDefinition[]

  constructor(definitions: readonly ResourceDefinition[]) {
    this.#definitions = definitions
  }

  definition(gr: ResourceId): ResourceDefinition {
    const found = this.#definitions.find(({ hub }) => hub.group === gr.group && hub.names.plural === gr.resource)
    if (!found) throw notFoundError(gr, '')
    return found
  }

  resourceOf({ group }: GroupVersion, kind: string): ResourceId | undefined {
    const found = this.#definitions.find(({ hub }) => hub.group === group && hub.kind === kind)
    return found && { group, resource: found.hub.names.plural }
  }

  #key(gr: ResourceId, namespace: string, name: string): string {
    return `${this.definition(gr).storage?.prefix}/${this.definition(gr).scope === 'Namespaced' ? `${namespace}/` : ''}${name}`
  }

  decode(gr: ResourceId, value: unknown): AnyObject {
    const { schema, setDefaults, setGatedDefaults } = this.definition(gr).hub
    const object = decode(schema, clone(value) as Json)
    applyDefaults(schema, object)
    const steps = setDefaults?.(object as unknown as AnyObject)
    if (steps) runAtOnce(steps)
    setGatedDefaults?.(object as unknown as AnyObject, this.features)
    return object as unknown as AnyObject
  }

  #stamp(object: AnyObject): AnyObject {
    object.metadata.resourceVersion = String(++this.#revision)
    return object
  }

  async #check(gr: ResourceId, strategy: Strategy, next: AnyObject, old: AnyObject | undefined, ctx: HookContext): Promise<void> {
    const definition = this.definition(gr)
    const { scope, hub } = definition
    if (old?.metadata.generation !== undefined) next.metadata.generation = old.metadata.generation
    clearTurnedOff(definition, ctx, next, old)
    const rest = strategy.prepare?.(next, old, ctx)
    if (rest) runAtOnce(rest)
    const { validateName = nameIsDnsSubdomain } = strategy
    const nameRule = (name: string, prefix: boolean): string[] => validateName(name, prefix, ctx.features)
    const errors: FieldError[] = old ? [] : validateObjectMeta(next.metadata, scope === 'Namespaced', nameRule, fieldPath('metadata'))
    errors.push(...kindErrors(strategy, next, old, ctx))
    if (errors.length > 0) throw invalidError({ group: hub.group, kind: hub.kind }, next.metadata.name ?? '', errors)
    this.warnings.push(...resultAtOnce(strategy.warnings?.(next, old, ctx) ?? []))
  }

  async create(gr: ResourceId, namespace: string, body: AnyObject, dryRun = false): Promise<AnyObject> {
    const definition = this.definition(gr)
    const strategy = definition.strategy ?? {}
    const next = this.decode(gr, body)
    if (definition.scope === 'Namespaced') next.metadata.namespace = namespace
    next.metadata.uid = `uid-${++this.#revision}`
    next.metadata.creationTimestamp = new Date(this.now).toISOString().replace('.000', '')
    const ctx = hookContext({ now: this.now, features: this.features, access: () => this })
    await this.#check(gr, strategy, next, undefined, ctx)
    const key = this.#key(gr, namespace, next.metadata.name ?? '')
    const reservation = await strategy.begin?.(next, undefined, ctx, this, dryRun)
    try {
      if (!dryRun) await this.beforeWrite(gr, next)
      if (this.objects.has(key)) throw alreadyExistsError(gr, next.metadata.name ?? '')
    } catch (error) {
      await reservation?.rollback()
      throw error
    }
    if (dryRun) {
      await reservation?.rollback()
      return next
    }
    this.objects.set(key, this.#stamp(next))
    await reservation?.commit()
    return clone(next)
  }

  async get(gr: ResourceId, namespace: string, name: string): Promise<AnyObject> {
    const found = this.objects.get(this.#key(gr, namespace, name))
    if (!found) throw notFoundError(gr, name)
    return clone(found)
  }

  async list(gr: ResourceId, namespace: string, options: ListAccess = {}): Promise<{ items: AnyObject[]; resourceVersion: string }> {
    const prefix = this.#key(gr, namespace, '')
    const all = this.definition(gr).scope === 'Namespaced' && namespace === '' ? prefix.slice(0, -1) : prefix
    const labels = parseLabelSelector(options.labelSelector ?? '')
    const items = [...this.objects]
      .filter(([key, { metadata }]) => key.startsWith(all) && matchesLabels(labels, metadata.labels))
      .map(([, object]) => clone(object))
    return { items, resourceVersion: String(this.#revision) }
  }

  async update(
    gr: ResourceId,
    namespace: string,
    name: string,
    change: (object: AnyObject) => AnyObject | undefined,
    { subresource = '', dryRun = false }: { subresource?: string; dryRun?: boolean } = {},
  ): Promise<AnyObject> {
    const definition = this.definition(gr)
    const part: Subresource | undefined = definition.hub.subresources?.[subresource]
    const strategy = part?.strategy ?? definition.strategy ?? {}
    const key = this.#key(gr, namespace, name)
    for (;;) {
      const old = this.objects.get(key)
      if (!old) throw notFoundError(gr, name)
      let next: AnyObject
      if (part?.view) {
        const view = part.view.get(old)
        const put = part.view.put(clone(old), change(view) ?? view)
        if (Array.isArray(put)) throw invalidError({ group: part.kind?.group ?? '', kind: part.kind?.kind ?? '' }, name, put)
        next = put
      } else next = this.decode(gr, change(clone(old)) ?? old)
      const given = next.metadata.resourceVersion
      if (given !== undefined && given !== old.metadata.resourceVersion) throw conflictError(gr, name, 'the object has been modified')
      next.metadata = { ...old.metadata, ...next.metadata, ...(old.metadata.uid !== undefined && { uid: old.metadata.uid }) }
      const ctx = hookContext({ now: this.now, subresource, features: this.features, access: () => this })
      await this.#check(gr, strategy, next, old, ctx)
      const reservation = await strategy.begin?.(next, old, ctx, this, dryRun)
      try {
        if (dryRun) {
          await reservation?.rollback()
          return next
        }
        await this.beforeWrite(gr, next)
      } catch (error) {
        await reservation?.rollback()
        throw error
      }
      if (this.objects.get(key) !== old) {
        await reservation?.rollback()
        continue
      }
      if (!deepEqual(next, old)) this.objects.set(key, this.#stamp(next))
      await reservation?.commit()
      return clone(next)
    }
  }

  async delete(gr: ResourceId, namespace: string, name: string, options: { uid?: string; dryRun?: boolean } = {}): Promise<void> {
    const key = this.#key(gr, namespace, name)
    const old = this.objects.get(key)
    if (!old) throw notFoundError(gr, name)
    const { strategy } = this.definition(gr)
    strategy?.validateDelete?.(old)
    if (options.uid !== undefined && options.uid !== old.metadata.uid) throw conflictError(gr, name, 'uid')
    const reservation = await strategy?.begin?.(
      undefined,
      old,
      hookContext({ now: this.now, features: this.features, access: () => this }),
      this,
      options.dryRun === true,
    )
    if (options.dryRun) return reservation?.rollback()
    this.objects.delete(key)
    await reservation?.commit()
  }

  watch(): Promise<void> {
    throw new Error('not here')
  }

  /** The row of a stored object. */
  cells(gr: ResourceId, namespace: string, name: string): Json[] | undefined {
    const object = this.objects.get(this.#key(gr, namespace, name))
    return object && this.definition(gr).hub.table?.cells(object, this.now)
  }
}
