import { expect } from 'chai'
import type { Json } from '../../src/api/meta/object.ts'
import type { ResourceDefinition } from '../../src/catalog/definition.ts'
import type { Gates } from '../../src/lifecycle/gates.ts'
import { StatusError } from '../../src/meta/status.ts'
import type { AnyObject } from './any-object.ts'
import { definitionIn } from './hook-context.ts'
import { KindServer } from './kind-server.ts'

/**
 * One kind on a server of its own, for cases as tables. Objects are made in the namespace `ns`, by the name `x` unless
 * the body has one.
 */
export class KindCases {
  readonly server: KindServer
  readonly #gr: { group: string; resource: string }
  readonly #definition: ResourceDefinition

  constructor(definition: ResourceDefinition, features?: Gates) {
    this.#definition = features ? definitionIn(definition, features) : definition
    this.server = new KindServer([this.#definition])
    if (features) this.server.features = features
    this.#gr = { group: definition.hub.group, resource: definition.hub.names.plural }
  }

  body(body: object, metadata: object = {}): AnyObject {
    const { group, name, kind } = this.#definition.hub
    return { apiVersion: group === '' ? name : `${group}/${name}`, kind, ...body, metadata: { name: 'x', ...metadata } }
  }

  create(body: object, metadata: object = {}): Promise<AnyObject> {
    return this.server.create(this.#gr, this.#definition.scope === 'Namespaced' ? 'ns' : '', this.body(body, metadata))
  }

  /** Replaces `x`, its metadata but for the given members kept. */
  update(body: object, metadata: object = {}, subresource = ''): Promise<AnyObject> {
    const namespace = this.#definition.scope === 'Namespaced' ? 'ns' : ''
    return this.server.update(this.#gr, namespace, 'x', old => ({ ...this.body(body), metadata: { ...old.metadata, ...metadata } }), {
      subresource,
    })
  }

  cells(): Json[] | undefined {
    return this.server.cells(this.#gr, this.#definition.scope === 'Namespaced' ? 'ns' : '', 'x')
  }
}

/** Returns the causes of a rejected write in the form `Required spec.a`. Empty if it is accepted. */
export async function causesOf(write: Promise<unknown>): Promise<string[]> {
  try {
    await write
    return []
  } catch (error) {
    if (!(error instanceof StatusError)) throw error
    return (error.status.details?.causes ?? []).map(({ reason, field }) => `${(reason ?? '').replace('FieldValue', '')} ${field ?? ''}`)
  }
}

/**
 * A test for each body that is created, and one for each update of another; by the default features of 1.33 unless
 * others are given.
 */
export function validates(
  definition: ResourceDefinition,
  creations: Record<string, [body: object, causes: string[], metadata?: object]>,
  updates: Record<string, [before: object, after: object, causes: string[], metadata?: object]> = {},
  features?: Gates,
): void {
  for (const [what, [body, causes, metadata]] of Object.entries(creations)) {
    it(`creating: ${what}`, async () =>
      expect(await causesOf(new KindCases(definition, features).create(body, metadata))).to.deep.equal(causes))
  }
  for (const [what, [before, after, causes, metadata]] of Object.entries(updates)) {
    it(`updating: ${what}`, async () => {
      const cases = new KindCases(definition, features)
      await cases.create(before)
      expect(await causesOf(cases.update(after, metadata))).to.deep.equal(causes)
    })
  }
}
