import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { CatalogSnapshot } from '../../../src/catalog/catalog.ts'
import { mediaOffer } from '../../../src/codec/accept-header.ts'
import { decodeBody } from '../../../src/endpoints/body.ts'
import { StatusError } from '../../../src/meta/status.ts'
import { bodyTarget } from '../../../src/registry/change/body-target.ts'
import type { FieldValidation } from '../../../src/registry/types.ts'
import { configMapResource } from '../../../src/resources/core/config-map/definition.ts'
import { FakeExchange } from '../../support/exchange.ts'

interface Recorded {
  readonly name: string
  readonly hex: string
  readonly fieldValidation: FieldValidation
  readonly status: number
  readonly message?: string
  readonly body?: object
  readonly warnings?: readonly string[]
}

/**
 * Bodies posted as ConfigMaps to the libraries of kube-apiserver 1.33 (apiserver 0.33.9, gate CBORServingAndStorage
 * on), and their responses.
 */
const recorded = JSON.parse(readFileSync(new URL('../../fixtures/codec/cbor-bodies.json', import.meta.url), 'utf8')) as Recorded[]

/** Differences of this server, and their reasons. */
const OTHERWISE: Readonly<Record<string, string>> = {
  null: 'the body is an object without a name: validation, not decoding, refuses it',
  'bad utf8 bytes': 'upstream keeps the bytes; a string here could not',
  'undefined pointer': 'upstream takes undefined for null where there is a pointer only',
  'binary text': 'text strings are taken where bytes are wanted, as base64',
  'time tag 1': 'seconds since the epoch are taken for a time',
  'tag 0 number': 'tags are checked in members without a field, too',
  'tag 1 string': 'tags are checked in members without a field, too',
  'int key in map': 'keys that are no strings are refused before the type is known',
  'int key in struct': 'keys that are no strings are refused before the type is known',
  'bool key in map': 'keys that are no strings are refused before the type is known',
  'array key': 'keys that are no strings are refused before the type is known',
  'uint64 any': 'the number is refused before the type is known',
  'wrong kind': 'the text names the scheme of the program',
  'wrong version': 'the text names the scheme of the program',
}

const definition = configMapResource
const snapshot = new CatalogSnapshot(1, [definition])

/** Status and texts. Paths, which upstream omits, are removed; they are tested below. */
async function outcome({ hex, fieldValidation }: Recorded): Promise<{ status: number; message?: string; warnings?: number }> {
  const body = Buffer.from(hex, 'hex')
  const exchange = new FakeExchange('/x', { body, headers: { 'content-type': 'application/cbor' } })
  try {
    ;(
      await decodeBody(
        { exchange, snapshot, env: { media: mediaOffer({ cbor: true }) } },
        body,
        bodyTarget(definition.hub),
        fieldValidation,
      )
    )()
    return { status: 201, ...(exchange.warnings.length > 0 && { warnings: 1 }) }
  } catch (error) {
    if (!(error instanceof StatusError)) throw error
    return { status: error.code, message: comparable(error.status.message ?? '') }
  }
}

const comparable = (text: string): string =>
  text
    .replace(/ into Go (struct field|value).*/, '')
    .replace(/strict decoding error: .*/, 'strict decoding error')
    .replace(/UTF-8 text string$/, 'byte string')
    .replace(/ \([^()]*\)(?= \([0-9a-f]+(?: \.\.\.)?\)$|$)/, match => (/^ \(([0-9a-f]+( \.\.\.)?|<empty>)\)$/.test(match) ? match : ''))

describe('a body in CBOR', () => {
  for (const one of recorded) {
    if (one.name in OTHERWISE) continue
    it(`${one.name} (${one.fieldValidation})`, async () => {
      const { status, message, warnings } = one
      expect(await outcome(one)).to.deep.equal({
        status,
        ...(message !== undefined && { message: comparable(message) }),
        ...(warnings && { warnings: warnings.length }),
      })
    })
  }

  const refusal = async (hex: string, fieldValidation: FieldValidation = 'Strict'): Promise<string> => {
    const body = Buffer.from(hex.replaceAll(' ', ''), 'hex')
    const exchange = new FakeExchange('/x', { body, headers: { 'content-type': 'application/cbor' } })
    try {
      ;(
        await decodeBody(
          { exchange, snapshot, env: { media: mediaOffer({ cbor: true }) } },
          body,
          bodyTarget(definition.hub),
          fieldValidation,
        )
      )()
      return exchange.warnings.join('; ')
    } catch (error) {
      return (error as StatusError).status.message ?? ''
    }
  }
  const labels = (value: string): string => `a1 486d65746164617461 a1 466c6162656c73 ${value}`

  it('is refused with the path of the invalid member', async () => {
    const table: [string, RegExp][] = [
      [labels('a2 4161 4162 4161 4163'), /found duplicate map key "a" at map element index 1 \(metadata\.labels\.a\)$/],
      [labels('a1 4161 61ff'), /invalid UTF-8 string \(metadata\.labels\.a\)$/],
      [labels('a1 4161 41ff'), /invalid UTF-8 string \(metadata\.labels\.a\)$/],
      [labels('a2 4161 4162 61ff 4163'), /invalid UTF-8 string \(metadata\.labels\)$/],
      [labels('a2 4161 4162 01 4163'), /cannot be used as a member's name\) \(metadata\.labels\)$/],
      [labels('a1 4161 01'), /cannot unmarshal positive integer .*metadata\.labels/],
      [labels('a1 4161 1bffffffffffffffff'), /overflows Go's int64\) \(metadata\.labels\.a\)$/],
      [labels('99ffff'), /exceeded max number of elements 1024 for CBOR array \(metadata\.labels\)/],
      [labels(`${'81'.repeat(70)}01`), /exceeded max nested level 64 \(metadata\.labels\[0\]\[0\]/],
      [labels(`${'c1'.repeat(200_000)}01`), /exceeded max nested level 64/],
      ['a1 486d65746164617461 a1 43666f6f 01', /strict decoding error: unknown field "metadata\.foo"$/],
      ['a1 495f5f70726f746f5f5f a0', /unknown field "__proto__"$/],
    ]
    for (const [hex, text] of table) expect(await refusal(hex)).to.match(text)
  })

  it('causes warnings for unknown members', async () => {
    expect(await refusal('a2 486d65746164617461 a1 43666f6f 01 43626172 01', 'Warn')).to.equal(
      'unknown field "metadata.foo"; unknown field "bar"',
    )
  })

  it('keeps integers beyond 2^53', async () => {
    const body = Buffer.from('a1486d65746164617461a14a67656e65726174696f6e1b0020000000000001', 'hex')
    const exchange = new FakeExchange('/x', { body, headers: { 'content-type': 'application/cbor' } })
    const { metadata } = (
      await decodeBody({ exchange, snapshot, env: { media: mediaOffer({ cbor: true }) } }, body, bodyTarget(definition.hub), 'Strict')
    )()
    expect(metadata.generation).to.equal(9007199254740993n)
  })
})
