import { expect } from 'chai'
import type { Json } from '../../src/api/meta/object.ts'
import { seededRandom } from '../../src/lib/seeded-random.ts'
import { gatesOf } from '../../src/lifecycle/feature-gates.ts'
import { parseGates } from '../../src/lifecycle/gates.ts'
import { RELEASES, type Release } from '../../src/lifecycle/release.ts'
import { type Answer, type Call, inRelease } from '../support/in-release.ts'
import { type MediaSample, ownSamples, probeSamples } from '../support/media-samples.ts'
import { MemoryBackend } from '../support/memory-backend.ts'
import { oddValue, patchAt, pathsOf, textOf, withAt } from '../support/mutate-value.ts'

/** Writes in each release; `make fuzz COUNT=100000` for many. */
const COUNT = Number(process.env.MUTATED_BODIES ?? 4000) / 40
/** Each takes some seconds, so that few are tried unless many writes are asked for. */
const TRIED = process.env.MUTATED_BODIES === undefined ? RELEASES.filter((_, i) => i % 4 === 0) : RELEASES
const SEED = Number(process.env.MUTATION_SEED ?? 1)

type Random = () => number
const pick = <T>(random: Random, of: readonly T[]): T => of[Math.floor(random() * of.length)] as T

/** Limits would refuse most of what comes after them. */
const SAMPLES = [...probeSamples(), ...ownSamples].filter(({ body }) => body.kind !== 'LimitRange')
const collectionOf = ({ path }: MediaSample): string => path.replace('{ns}', 'odd')

const ACCEPTED = ['application/json', 'application/json;as=Table;v=v1;g=meta.k8s.io', 'application/vnd.kubernetes.protobuf']

/** Half of the gates that can be turned, the other way round. */
function turnedGates(release: Release, random: Random): Record<string, boolean> {
  const turned: Record<string, boolean> = {}
  for (const [name, { preset }] of Object.entries(gatesOf(release))) {
    if (random() < 0.5) continue
    try {
      parseGates(release, new Map([...Object.entries(turned), [name, !preset]]))
      turned[name] = !preset
    } catch {
      // It has one state only, or needs another gate.
    }
  }
  return turned
}

/** A write of any form of an object with a value that is not expected at some place. */
function oddWrite(
  random: Random,
  sample: MediaSample,
): { readonly url: string; readonly method: string; readonly type: string; readonly body: Json } {
  const value = withAt(sample.body, pick(random, pathsOf(sample.body)), oddValue(random))
  const patch = patchAt(pick(random, pathsOf(sample.body)), oddValue(random))
  const collection = collectionOf(sample)
  const url = `${collection}/${sample.body.metadata.name}${pick(random, ['', '', '/status'])}`
  const forms = [
    { url: collection, method: 'POST', type: 'json', body: value },
    { url, method: 'PUT', type: 'json', body: value },
    { url, method: 'PATCH', type: 'merge-patch+json', body: patch },
    { url, method: 'PATCH', type: 'strategic-merge-patch+json', body: patch },
    { url: `${url}?fieldManager=m&force=true`, method: 'PATCH', type: 'apply-patch+yaml', body: value },
  ]
  return pick(random, forms)
}

/** How exceptions of JavaScript sound. */
const OURS = /Cannot (?:read|convert|mix|set|destructure|create|assign)|is not (?:a function|iterable|extensible)|\[object |call stack/

describe('odd values in each release', function () {
  this.timeout(300_000 + COUNT * 1000)

  for (const release of TRIED)
    it(`${release}: ${COUNT} writes cause no internal error, and every release can read the stored objects`, async () => {
      const random = seededRandom(SEED)
      const backend = new MemoryBackend()
      const collections = [...new Set(SAMPLES.map(collectionOf))]
      const wrong: string[] = []
      const judge = (what: string, { status, json }: Answer): void => {
        if (status >= 500 && OURS.test(JSON.stringify(json))) wrong.push(`${what}: ${status} ${JSON.stringify(json)}`)
      }
      const readAll = async (call: Call, by: string): Promise<void> => {
        for (const collection of collections)
          for (const accept of ACCEPTED) {
            const answer = await call(collection, { headers: { accept } })
            if (![200, 404, 406].includes(answer.status))
              wrong.push(`${by} reads ${collection}: ${answer.status} ${JSON.stringify(answer.json)}`)
          }
      }
      const ask = async (call: Call): Promise<void> => {
        await call('/api/v1/namespaces', { method: 'POST', body: JSON.stringify({ metadata: { name: 'odd' } }) })
        for (const sample of SAMPLES) await call(collectionOf(sample), { method: 'POST', body: JSON.stringify(sample.body) })
        for (let i = 0; i < COUNT; i++) {
          const { url, method, type, body } = oddWrite(random, pick(random, SAMPLES))
          judge(
            `${method} ${url} ${textOf(body)}`,
            await call(url, { method, headers: { 'content-type': `application/${type}` }, body: textOf(body) }),
          )
        }
        await readAll(call, release)
      }
      await inRelease(backend, release, ask, turnedGates(release, random))
      for (const reader of [RELEASES[0], RELEASES.at(-1)] as Release[]) await inRelease(backend, reader, call => readAll(call, reader))
      expect(wrong.slice(0, 5)).to.deep.equal([])
    })
})
