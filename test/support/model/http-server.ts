import { Agent, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { AnyObject } from '../any-object.ts'
import { createJsonClient } from '../json-client.ts'
import { type ModelServer, type ModelStream, onLines } from './model-server.ts'
import type { SeenAnswer } from './seen.ts'

/** Time that a client waits while there is no server. */
const AWAY_MS = 150

/** A server in a process of its own, over plain HTTP. */
export function httpServer(url: string): ModelServer & { close(): void } {
  const client = createJsonClient(url)
  const agent = new Agent({ keepAlive: false })
  return {
    async ask({ method, path, body, contentType, accept }) {
      const { status, body: told } = await client.ask(method, path, {
        body,
        ...(contentType !== undefined && { contentType }),
        ...(accept !== undefined && { accept }),
      })
      if (status === 0) await sleep(AWAY_MS)
      return { status, body: told }
    },
    watch(path, accept, onEvent): ModelStream {
      let refusal: SeenAnswer | undefined
      let left = false
      const asked = request(`${url}${path}`, { agent, headers: { 'user-agent': 'model/1', accept } })
      const ended = new Promise<'client' | 'server'>(resolve => {
        asked
          .on('error', () => resolve('client'))
          .on('response', answer => {
            let text = ''
            const take = onLines(line => {
              const { type, object } = JSON.parse(line) as { type: string; object: AnyObject }
              if (!left) onEvent(type, object)
            })
            answer.setEncoding('utf8').on('data', (part: string) => {
              if (answer.statusCode === 200) take(part)
              else text += part
            })
            answer
              .on('error', () => {})
              .on('close', () => {
                if (answer.complete && answer.statusCode !== 200)
                  refusal = { status: answer.statusCode ?? 0, body: JSON.parse(text) as AnyObject }
                resolve(answer.complete && !left ? 'server' : 'client')
              })
          })
      })
      asked.end()
      return {
        get refusal() {
          return refusal
        },
        ended,
        cut() {
          left = true
          asked.destroy()
        },
      }
    },
    close() {
      client.close()
      agent.destroy()
    },
  }
}
