import { expect } from 'chai'
import { ask } from '../../../../src/endpoints/connect/ask.ts'
import type { Dial } from '../../../../src/lib/connect-proxy.ts'
import { DialError } from '../../../../src/lib/dial-error.ts'

describe('connections to pods and services behind a proxy', () => {
  for (const scheme of ['http', 'https'] as const)
    it(`use the resolved address of a name, which the proxy does not resolve again (${scheme})`, async () => {
      const dialled: string[] = []
      const dial: Dial = (host, port, done) => {
        dialled.push(`${host}:${port}`)
        done(new DialError('nobody'))
      }
      const question = { method: 'POST', headers: [], body: undefined, signal: new AbortController().signal }
      const destination = { scheme, host: 'example.test', port: '81', path: '/', query: '', trust: 'anything' } as const
      const fault = (to: Parameters<typeof ask>[0]) =>
        ask(to, { dial } as Parameters<typeof ask>[1], question).catch((error: Error) => error.message)
      expect(await fault({ ...destination, addresses: [{ address: '203.0.113.7', family: 4 }] })).to.equal('nobody')
      expect(await fault({ ...destination, trust: 'kubelet' })).to.equal('nobody')
      expect(dialled).to.deep.equal(['203.0.113.7:81', 'example.test:81'])
    })
})
