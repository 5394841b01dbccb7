import { expect } from 'chai'
import { protobufCodec } from '../../../../src/endpoints/forms/binary/protobuf.ts'
import { listBody } from '../../../../src/endpoints/forms/whole/list-body.ts'
import { type FilledBody, wholeOf } from '../../../../src/lib/filled-body.ts'
import type { Piece } from '../../../../src/lib/pieces.ts'
import { revision } from '../../../../src/storage/revision.ts'
import type { StoredObject } from '../../../../src/storage/storage.ts'
import { Stored } from '../../../../src/storage/stored-object.ts'
import { servedBuiltins } from '../../../support/served-builtins.ts'
import { testCodec, testKey, testObject } from '../../../support/test-codec.ts'

const configMaps = servedBuiltins()
  .flatMap(({ versions }) => versions)
  .find(({ group, kind }) => group === '' && kind === 'ConfigMap')!
const stored = (number: number, at: number, bytes = 300): StoredObject => {
  const key = testKey(`o${String(number).padStart(5, '0')}`)
  return Stored.read(key, revision(at), testCodec, testCodec.encode(testObject(`o${number}`, { text: 'x'.repeat(bytes) })))
}
const FORMS: Record<string, (items: readonly StoredObject[]) => Promise<FilledBody>> = {
  JSON: async items => (await listBody(configMaps, { resourceVersion: '7' }, items))(),
  protobuf: async items => (await protobufCodec.listBody(configMaps, { resourceVersion: '7' }, items)) as FilledBody,
}
const piecesOf = (body: FilledBody): Piece[] => [...body.pieces!()]
const joinedPieces = (body: FilledBody): Buffer => Buffer.concat(piecesOf(body).map(piece => piece.raw()))
/** Returns all pieces as if they were compressed. */
const keepAll = (body: FilledBody): void => {
  for (const piece of piecesOf(body)) piece.keep({ deflated: Buffer.alloc(10), length: piece.raw().length, crc: 0, shift: 0 })
}
const missing = (body: FilledBody): number => piecesOf(body).filter(piece => piece.kept() === undefined).length

for (const [form, bodyOf] of Object.entries(FORMS))
  describe(`pieces of a list in ${form}`, () => {
    for (const count of [1, 2, 33, 1000])
      it(`contain the bytes of ${count}`, async () => {
        const items = Array.from({ length: count }, (_, i) => stored(i, 10 + i))
        expect(joinedPieces(await bodyOf(items)).equals(wholeOf(await bodyOf(items)))).to.equal(true)
      })

    it('have objects of any size', async () => {
      const items = [1, 200_000, 1, 60_000, 90_000, 400_000].map((bytes, i) => stored(i, 3 * i, bytes))
      expect(joinedPieces(await bodyOf(items)).equals(wholeOf(await bodyOf(items)))).to.equal(true)
    })

    it('are unchanged after a change of other objects', async () => {
      const items = Array.from({ length: 2000 }, (_, i) => stored(i, 10 + i))
      const body = await bodyOf(items)
      expect(missing(body)).to.equal(piecesOf(body).length)
      keepAll(body)
      // The start, the end, and the first object, which has no comma before it in JSON.
      const around = missing(await bodyOf(items))
      expect(around).to.be.at.most(3)
      const changed = items.with(500, stored(500, 9000)).toSpliced(1200, 1).toSpliced(1600, 0, stored(16_005, 9001))
      const after = await bodyOf(changed)
      expect(missing(after) - around).to.be.within(3, 9)
      expect(joinedPieces(after).equals(wholeOf(await bodyOf(changed)))).to.equal(true)
      // A page of the list.
      expect(missing(await bodyOf(items.slice(300, 900))) - around).to.be.at.most(2)
    })

    it('with another object at the same index are not reused', async () => {
      const items = Array.from({ length: 100 }, (_, i) => stored(i, 10 + i))
      keepAll(await bodyOf(items))
      const other = items.with(40, stored(77_777, 50))
      expect(other[40]?.revision).to.equal(items[40]?.revision)
      const body = await bodyOf(other)
      expect(missing(body)).to.be.greaterThan(missing(await bodyOf(items)))
    })
  })

it('a list of objects without a cache has no pieces', async () => {
  const bare = { ...stored(1, 2), json: stored(1, 2).json.bind(stored(1, 2)) } as unknown as StoredObject
  expect((await listBody(configMaps, {}, [bare]))().pieces).to.equal(undefined)
})
