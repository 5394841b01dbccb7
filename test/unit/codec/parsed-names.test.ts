import { expect } from 'chai'
import type { Json } from '../../../src/api/meta/object.ts'
import { parseExactlyInSteps, parseJson } from '../../../src/codec/json.ts'
import { seededRandom } from '../../../src/lib/seeded-random.ts'
import { runAtOnce } from '../../../src/lib/steps.ts'
import { clone, setMember } from '../../../src/meta/equal.ts'
import { differenceFromOracle, type OracleValue, oracleParse } from '../../support/json-oracle.ts'
import { JsonTexts } from '../../support/json-texts.ts'

const COUNT = Number(process.env.MUTATED_BODIES ?? 2000)
const SEED = Number(process.env.MUTATION_SEED ?? 1)

/**
 * Ways in which programs create objects. Each leaves shapes behind that an engine may use when it parses the next text.
 */
const MAKERS: readonly ((members: Map<string, OracleValue>) => object)[] = [
  members => {
    const object = {}
    for (const [name, value] of members) setMember(object, name, value)
    return object
  },
  members => Object.fromEntries(members),
  members => structuredClone(Object.fromEntries(members)),
  members => clone(Object.fromEntries([...members.keys()].map(name => [name, 1]))),
  members => {
    const names = [...members.keys()]
    const object = JSON.parse(`{${names.map((_, i) => `"${names[0]?.startsWith('g') && i === 0 ? names[0] : `t${i}`}":1`).join(',')}}`)
    for (const name of Object.keys(object).slice(1).reverse()) delete object[name]
    for (const name of names) setMember(object, name, 1)
    return object
  },
  members => {
    const [[first, value] = ['', null], [second] = ['']] = members
    return { [first]: value, [second]: 1, y0: 1, y1: 2 }
  },
]

/**
 * Parses a text in each way that a server uses. Lone surrogates become U+FFFD in bodies: such texts are left to
 * JSON.parse.
 */
function* parsedIn(text: string): Generator<[way: string, value: () => unknown]> {
  yield ['JSON.parse', () => JSON.parse(text)]
  if (!text.isWellFormed() || /\\ud[89]/i.test(text)) return
  const bytes = Buffer.from(text)
  yield ['parseJson', () => parseJson(bytes).value]
  yield ['parseExactlyInSteps', () => runAtOnce(parseExactlyInSteps(bytes)).value as Json]
}

function resultOf<T>(make: () => T): { readonly value: T } | undefined {
  try {
    return { value: make() }
  } catch (error) {
    if (error instanceof Error && /Syntax/.test(error.constructor.name)) return undefined
    throw error
  }
}

describe('names of members in random texts', () => {
  it('are those that the text has, whatever objects were created before', function () {
    this.timeout(600_000)
    const random = seededRandom(SEED)
    const texts = new JsonTexts(random)
    const held: object[] = []
    let [parsed, refused, created] = [0, 0, 0]
    while (parsed < COUNT) {
      for (const text of texts.group()) {
        const expected = resultOf(() => oracleParse(text))
        for (const [way, parse] of parsedIn(text)) {
          const result = resultOf(parse)
          if (expected === undefined || result === undefined) expect(result, `${way} of ${text}`).to.equal(expected)
          else expect(differenceFromOracle(result.value, expected.value), `${way} of ${text}`).to.equal(undefined)
        }
        parsed++
        if (expected === undefined) refused++
        else if (expected.value instanceof Map && random() < 0.5) {
          held[created++ % 1000] = MAKERS[Math.floor(random() * MAKERS.length)]!(expected.value)
        }
      }
    }
    expect(refused).to.be.greaterThan(COUNT / 100)
    expect(created).to.be.greaterThan(COUNT / 10)
  })
})
