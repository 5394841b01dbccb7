import { expect } from 'chai'
import { sha256Label } from '../../../src/lib/sha256-label.ts'

describe('sha256Label', () => {
  const ABC = 'sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'
  for (const [title, data, label] of [
    ['a text', 'abc', ABC],
    ['bytes', Buffer.from('abc'), ABC],
    ['no text', '', ''],
    ['no bytes', Buffer.alloc(0), ''],
  ] as const)
    it(`is derived from ${title}`, () => expect(sha256Label(data)).to.equal(label))
})
