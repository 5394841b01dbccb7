/**
 * Texts that expressions repeat themselves over, in every parameter of a query, every header and the path: a request
 * takes time in proportion to its length.
 */

import { Agent, request } from 'node:https'
import { expect } from 'chai'
import { growthText, superLinear } from '../support/growth.ts'
import { type InProcessServer, openInProcess } from '../support/in-process-server.ts'
import { HEAD_LENGTHS, HEAD_PLACES, type HeadRequest, headRequest } from '../support/pumped-heads.ts'
import { pumpedName, pumpedTexts } from '../support/pumped-texts.ts'
import { turnCost } from '../support/turn-cost.ts'

/** `make fuzz`: every text in every place. */
const ALL = process.env.PUMPED_TEXTS !== undefined
const SEED = Number(process.env.MUTATION_SEED ?? 1)
const MATCH = new RegExp(process.env.LARGE_BODY_MATCH ?? '')
const [PART = 0, PARTS = 1] = (process.env.LARGE_BODY_SHARE ?? '0/1').split('/').map(Number)
const LENGTHS = ALL ? HEAD_LENGTHS : HEAD_LENGTHS.filter(length => length < 100_000)

describe('a request head with a repeated text', function () {
  if (ALL) this.timeout(0)
  let server: InProcessServer
  let agent: Agent
  before(async () => {
    server = await openInProcess([])
    agent = new Agent({ keepAlive: true, ca: server.authority })
    await server.send('/api/v1/namespaces/default/configmaps', { method: 'POST', body: { metadata: { name: 'a', labels: { a: 'b' } } } })
  })
  after(async () => {
    agent?.destroy()
    await server?.stop()
    server?.remove()
  })

  const send = ({ method, path, headers, body }: HeadRequest): Promise<number> =>
    new Promise((resolve, reject) => {
      const authorization = 'Bearer administrator'
      const sent = request({ host: '127.0.0.1', port: server.port, path, method, agent, headers: { authorization, ...headers } })
      sent.on('error', reject)
      sent.on('response', response => {
        response.resume()
        response.on('end', () => resolve(response.statusCode ?? 0))
      })
      sent.end(body)
    })

  it('takes time in proportion to its length', async () => {
    const wrong: string[] = []
    const turns: { readonly turn: number; readonly name: string }[] = []
    for (const [nth, place] of HEAD_PLACES.entries()) {
      const texts = pumpedTexts(SEED + nth)
      const step = ALL ? 1 : Math.floor(texts.length / 2) | 1
      for (let i = nth % step; i < texts.length; i += step) {
        const text = texts[i] as (typeof texts)[number]
        const name = `${place.name} ${pumpedName(text)}`
        if ((i + nth) % PARTS !== PART || !MATCH.test(name)) continue
        let turn = 0
        const growth = await superLinear(LENGTHS, async length => {
          const asked = headRequest(place, text, length)
          const cost = await turnCost(() => send(asked).catch(() => 0))
          turn = Math.max(turn, cost.turn)
          return cost
        })
        if (growth) wrong.push(`${name}: ${growthText(growth)}`)
        if (growth && ALL) console.log(wrong.at(-1))
        turns.push({ turn, name })
      }
    }
    if (ALL)
      for (const { turn, name } of turns.sort((a, b) => b.turn - a.turn).slice(0, 30))
        console.log(`a turn of ${Math.round(turn)} ms: ${name}`)
    expect(wrong.join('\n')).to.equal('')
  })
})
