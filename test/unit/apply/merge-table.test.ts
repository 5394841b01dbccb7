import { expect } from 'chai'
import type { Json, JsonObject, KubeObject, ManagedFieldsEntry } from '../../../src/api/meta/object.ts'
import type { ApplyArgs } from '../../../src/apply/apply.ts'
import { ApplyError } from '../../../src/apply/apply-error.ts'
import { pathsOf } from '../../../src/apply/field-set.ts'
import { updateManagedFields } from '../../../src/apply/managed-fields.ts'
import { printElement } from '../../../src/apply/path-element.ts'
import type { FieldSet } from '../../../src/apply/set-node.ts'
import { TypeRegistry } from '../../../src/schema/idl.ts'
import { applyConfiguration } from '../../support/at-once.ts'
import { type Op, rows, TYPES } from './merge-table.ts'

const types = new TypeRegistry().add({ id: 't', definition: 't', source: TYPES })

/** An object to which a sequence of writes is applied. */
class Subject {
  #live: KubeObject | undefined
  #type = 'Thing'
  readonly #served: readonly string[] | undefined
  readonly #reset: readonly (readonly string[])[] | undefined

  constructor(served: readonly string[] | undefined, reset: readonly (readonly string[])[] | undefined) {
    this.#served = served
    this.#reset = reset
  }

  /** Runs a write. Returns its conflicts or error, and undefined if it succeeds. */
  write([verb, manager, body = {}, version = 'v1']: Op, second: number): string[] | undefined {
    if (verb === 'schema') {
      this.#type = manager
      return undefined
    }
    const schema = types.type(`t.${this.#type}`)
    const { apiVersion: _, kind: _k, metadata, ...fields } = (this.#live ?? {}) as JsonObject
    const live = this.#live && ({ ...fields, apiVersion: version, kind: 'Thing', metadata } as unknown as KubeObject)
    const convert: ApplyArgs['convert'] = (object, apiVersion) =>
      this.#served?.includes(apiVersion) === false ? undefined : { schema, object: { ...object, apiVersion } }
    const common = {
      schema,
      apiVersion: version,
      manager,
      convert,
      resetFields: this.#reset,
      now: `2026-01-01T00:00:${String(second).padStart(2, '0')}Z`,
    }
    try {
      if (verb === 'update') {
        const next = { ...body, apiVersion: version, kind: 'Thing', metadata: {} } as unknown as KubeObject
        this.#keep(next, updateManagedFields({ ...common, old: live, next }))
      } else {
        const config = { ...body, apiVersion: version, kind: 'Thing' }
        const { object, managedFields } = applyConfiguration({ ...common, live, config, kind: 'Thing', force: verb === 'force' })
        this.#keep(object, managedFields)
      }
      return undefined
    } catch (error) {
      if (!(error instanceof ApplyError)) throw error
      if (error.code !== 'conflict') return [error.message.slice(error.message.indexOf('; ') + 2)]
      return error.conflicts.map(conflict => `${conflict.manager.manager} ${conflict.path.map(printElement).join('')}`)
    }
  }

  object(): JsonObject {
    const { apiVersion: _, kind: _k, metadata: _m, ...fields } = (this.#live ?? {}) as JsonObject
    return fields
  }

  /** The paths of each manager, `name` for appliers and `name*` for updaters, with the version unless it is v1. */
  owners(): Record<string, string[]> {
    const entries = this.#live?.metadata.managedFields ?? []
    return Object.fromEntries(
      entries.map(({ manager, operation, apiVersion, fieldsV1 }) => [
        `${manager}${operation === 'Update' ? '*' : ''}${apiVersion === 'v1' ? '' : ` ${apiVersion}`}`,
        [...pathsOf(fieldsV1 as FieldSet)].filter(path => path !== undefined).map(path => path.map(printElement).join('')),
      ]),
    )
  }

  #keep(object: KubeObject, managedFields: ManagedFieldsEntry[]): void {
    this.#live = { ...object, metadata: { ...(object.metadata as object | undefined), managedFields } } as KubeObject
  }
}

describe('a sequence of writes', () => {
  for (const { name, ops, object, owners, told, served, reset } of rows)
    it(name, () => {
      const subject = new Subject(served, reset)
      const said: Json[] = []
      for (const [i, op] of ops.entries()) {
        const inputs = structuredClone(op)
        const answer = subject.write(op, i)
        if (answer) said.push([i, ...answer])
        expect(op).to.deep.equal(inputs)
      }
      expect(subject.object()).to.deep.equal(object)
      expect(subject.owners()).to.deep.equal(owners)
      expect(said).to.deep.equal(told ?? [])
    })
})
