import { expect } from 'chai'
import type { Version } from '../../../../../src/catalog/definition.ts'
import { listBody } from '../../../../../src/endpoints/forms/whole/list-body.ts'
import { wholeOf } from '../../../../../src/lib/filled-body.ts'
import { TYPED } from '../../../../../src/schema/typed-form.ts'
import type { StoredObject } from '../../../../../src/storage/storage.ts'

const pods = { group: '', name: 'v1', kind: 'Pod', schema: { form: TYPED } } as unknown as Version
const HEADER = '{"kind":"Pod","apiVersion":"v1",'

const stored = (size: number): StoredObject => {
  const bytes = Buffer.from(`${HEADER}"data":"${'x'.repeat(size)}"}`)
  return { json: () => ({ bytes, header: HEADER.length }) } as unknown as StoredObject
}

describe('listBody', () => {
  const cases: [string, number[]][] = [
    ['nothing', []],
    ['one object', [10]],
    ['two objects', [0, 1]],
    ['many objects in several parts', Array.from({ length: 1000 }, (_, i) => 100 + i)],
    ['an object larger than a part, first', [200_000, 1]],
    ['an object larger than a part, in the middle', [1, 200_000, 1]],
    ['objects that just fill a part', Array.from({ length: 64 }, () => 2048 - 13)],
  ]
  for (const [what, sizes] of cases)
    it(`writes ${what} as JSON without the types of its items`, async () => {
      const body = (await listBody(pods, { resourceVersion: '7' }, sizes.map(stored)))()
      const text = wholeOf(body).toString()
      expect(Buffer.byteLength(text)).to.equal(body.length)
      expect(text.endsWith(']}\n')).to.equal(true)
      expect(JSON.parse(text)).to.deep.equal({
        kind: 'PodList',
        apiVersion: 'v1',
        metadata: { resourceVersion: '7' },
        items: sizes.map(size => ({ data: 'x'.repeat(size) })),
      })
    })
})
