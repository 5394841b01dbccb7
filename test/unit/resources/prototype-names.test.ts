import { expect } from 'chai'
import type { Json, JsonObject } from '../../../src/api/meta/object.ts'
import { seededRandom } from '../../../src/lib/seeded-random.ts'
import { StatusError } from '../../../src/meta/status.ts'
import { decode } from '../../../src/schema/decode.ts'
import { fillStruct } from '../../support/fill-schema.ts'
import { servedBuiltins } from '../../support/served-builtins.ts'
import { TestRegistry } from '../../support/test-registry.ts'

/** Property names that every JavaScript object inherits. */
const WORDS = ['constructor', 'toString', '__proto__', 'valueOf'] as const
const BODIES = 8

/**
 * Replaces some texts of a value of `fillStruct` by the word (only those that contain their path, as others are parsed
 * first), and all keys of its maps.
 */
function sown(value: Json, word: string, random: () => number, share: number): Json {
  if (typeof value === 'string') return value.startsWith('.') && random() < share ? word : value
  if (Array.isArray(value)) return value.map(each => sown(each, word, random, share))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name === 'key' ? word : name, sown(each, word, random, share)]))
}

describe('kinds', () => {
  const definitions = servedBuiltins({ 'api/all': true })
  const t = new TestRegistry(definitions)

  it('reject or store values with names of Object.prototype, without internal errors', async () => {
    const faults: string[] = []
    for (const { hub, scope, virtual } of definitions) {
      if (virtual || !(hub.verbs ?? ['create']).includes('create')) continue
      const namespace = scope === 'Namespaced' ? 'default' : ''
      const { kind: _kind, apiVersion: _apiVersion, metadata: _metadata, ...filled } = fillStruct(hub.schema)
      for (let i = 0; i < BODIES; i++) {
        const word = WORDS[i % WORDS.length] as string
        const body = sown(filled, word, seededRandom(i), [1, 0.5, 0.1][i % 3] as number) as JsonObject
        const object = {
          ...body,
          metadata: { name: `n${i}`, labels: { constructor: 'x' }, annotations: { toString: 'y' }, ...(namespace && { namespace }) },
        } as JsonObject
        try {
          await t.access().create({ group: hub.group, resource: hub.names.plural }, namespace, decode(hub.schema, object) as never)
        } catch (error) {
          if (!(error instanceof StatusError) || error.code === 500)
            faults.push(`${hub.kind} ${word}: ${(error as Error).stack?.slice(0, 300)}`)
        }
      }
    }
    expect([...new Set(faults)]).to.deep.equal([])
  })
})
