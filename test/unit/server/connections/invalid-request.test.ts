import type { Socket } from 'node:net'
import { PassThrough } from 'node:stream'
import { expect } from 'chai'
import { answerInvalidRequest } from '../../../../src/server/connections/invalid-request.ts'

/** Text on a connection after an invalid method. `answer`: the response that Node keeps on the socket. */
function answerAfter(
  answer: { writableEnded: boolean; req?: { complete: boolean } } | undefined,
  code = 'HPE_INVALID_METHOD',
): { text: string; destroyed: boolean } {
  const socket = new PassThrough() as unknown as Socket & { _httpMessage?: unknown }
  socket._httpMessage = answer
  answerInvalidRequest(Object.assign(new Error('Parse Error'), { code }), socket)
  return { text: String(socket.read() ?? ''), destroyed: socket.destroyed }
}

describe('answerInvalidRequest', () => {
  it('responds', () => expect(answerAfter(undefined).text).to.match(/^HTTP\/1\.1 405 /))
  it('responds behind a complete response that is still being sent', () =>
    expect(answerAfter({ writableEnded: true }).text).to.match(/^HTTP\/1\.1 405 /))
  it('ignores bytes behind a request that closes the connection', () =>
    expect(answerAfter({ writableEnded: false }, 'HPE_CLOSED_CONNECTION')).to.deep.equal({ text: '', destroyed: false }))
  it('does not respond if the error is in a body whose response is complete', () =>
    expect(answerAfter({ writableEnded: true, req: { complete: false } }, 'HPE_INVALID_CHUNK_SIZE')).to.deep.equal({
      text: '',
      destroyed: false,
    }))
  it('closes a connection whose response is incomplete', () =>
    expect(answerAfter({ writableEnded: false })).to.deep.equal({ text: '', destroyed: true }))
})
