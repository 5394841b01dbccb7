import { NORMAL_CLOSURE, PROTOCOL_ERROR } from '../../protocols/websocket/frame.ts'
import { type MessageForm, MessageStream } from '../../protocols/websocket/message-stream.ts'
import { ignoreReceived } from '../../protocols/websocket/receive.ts'
import type { Exchange, StreamWriter } from '../exchange.ts'
import { acceptAny } from './handshake.ts'

/**
 * Opens a WebSocket on which each buffer is a message. `gone` is called when the client closes or breaks off. Undefined
 * if the handshake was refused.
 */
export function openSocketStream(exchange: Exchange, form: MessageForm, gone: () => void): StreamWriter | undefined {
  const taken = acceptAny(exchange)
  if (taken === undefined) return undefined
  const stream = new MessageStream(taken.socket, form)
  ignoreReceived(taken.socket, taken.head, why => {
    if (why === 'gone') taken.socket.destroy()
    else stream.close(why === 'violation' ? PROTOCOL_ERROR : NORMAL_CLOSURE)
    gone()
  })
  return stream
}
