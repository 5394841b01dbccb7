import type { Socket } from 'node:net'
import { PassThrough } from 'node:stream'
import { expect } from 'chai'
import { answerInvalidRequest } from '../../../src/server/invalid-request.ts'

/** What a connection carries after a method that is none, while `answer` is the one that Node keeps there. */
function answerAfter(
  answer: { writableEnded: boolean; req?: { complete: boolean } } | undefined,
  code = 'HPE_INVALID_METHOD',
): { text: string; destroyed: boolean } {
  const socket = new PassThrough() as unknown as Socket & { _httpMessage?: unknown }
  socket._httpMessage = answer
  answerInvalidRequest(Object.assign(new Error('Parse Error'), { code }), socket)
  return { text: String(socket.read() ?? ''), destroyed: socket.destroyed }
}

describe('a request that cannot be parsed', () => {
  it('is answered', () => expect(answerAfter(undefined).text).to.match(/^HTTP\/1\.1 405 /))
  it('is answered behind the answer before, which is complete but still on its way', () =>
    expect(answerAfter({ writableEnded: true }).text).to.match(/^HTTP\/1\.1 405 /))
  it('is passed over behind a request that closes the connection', () =>
    expect(answerAfter({ writableEnded: false }, 'HPE_CLOSED_CONNECTION')).to.deep.equal({ text: '', destroyed: false }))
  it('is not answered where it is the body of a request that is', () =>
    expect(answerAfter({ writableEnded: true, req: { complete: false } }, 'HPE_INVALID_CHUNK_SIZE')).to.deep.equal({ text: '', destroyed: false }))
  it('ends a connection on which an answer is under way', () => expect(answerAfter({ writableEnded: false })).to.deep.equal({ text: '', destroyed: true }))
})
