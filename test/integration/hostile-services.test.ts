import { generateKeyPairSync } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import type { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import protobuf from 'protobufjs/minimal.js'
import { openExternalSigner } from '../../src/auth/authn/service-account/external/external-signer.ts'
import { SignerMetrics } from '../../src/auth/authn/service-account/external/metrics.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { errorMessage } from '../../src/lib/error-message.ts'
import { silentLogger } from '../../src/lib/log.ts'
import { dialServer, peerAt } from '../../src/protocols/grpc/dial-server.ts'
import { MessageStream } from '../../src/protocols/grpc/message-stream.ts'
import { UnaryConnections } from '../../src/protocols/grpc/unary-connections.ts'
import type { EtcdConnection } from '../../src/storage/etcd/connection.ts'
import { decodeRange, encodeRange } from '../../src/storage/etcd/messages.ts'
import { watchEtcd } from '../../src/storage/etcd/watch.ts'
import { key, revision } from '../../src/storage/revision.ts'
import { openGrpcService } from '../../src/storage/value/kms/grpc-service.ts'
import { KmsMetrics } from '../../src/storage/value/kms/metrics.ts'
import { KmsProvider } from '../../src/storage/value/kms/provider.ts'
import {
  answeringWith,
  type GrpcBehaviour,
  HOSTILE_GRPC,
  HOSTILE_MESSAGES,
  HostileGrpcServer,
  refusing,
  repeating,
  SILENT_GRPC,
} from '../support/hostile-grpc.ts'
import { mostTurnMs, turnCost } from '../support/turn-cost.ts'
import { eventually } from '../support/waiting.ts'

const { Writer } = protobuf

/** A turn that looks too long is measured again: other work of the process falls into it now and then. */
const ATTEMPTS = 6
/** No deadline of a call ends an attack before its bound does. */
const NEVER_MS = 10 * 60_000
const SOON_MS = 100
/** Bytes that an attack sends before it is ended. */
const MOST_SENT = 40 << 20

const SERVICE = { logger: silentLogger, metrics: new KmsMetrics(), clock: systemClock, spans: undefined }
const never = new AbortController().signal

/** Calls a server as one part of the program does, and gives what came of it. */
type Asks = (server: HostileGrpcServer, timeoutMs: number) => Promise<unknown>

const folder = mkdtempSync(join(tmpdir(), 'hostile-'))
const socket = join(folder, 'grpc.sock')

const status: Asks = async (_, timeoutMs) => {
  const service = openGrpcService({ endpoint: `unix://${socket}`, timeoutMs, observer: () => {} })
  const provider = new KmsProvider({ ...SERVICE, name: 'p', service })
  await provider.check().finally(() => provider.close())
}
const encryption: Asks = (_, timeoutMs) => {
  const service = openGrpcService({ endpoint: `unix://${socket}`, timeoutMs, observer: () => {} })
  return service.encrypt(Buffer.alloc(32), 'uid').finally(() => service.close())
}
const signer: Asks = async (_, keysTimeoutMs) => {
  const metrics = new SignerMetrics()
  const opened = await openExternalSigner({
    endpoint: socket,
    release: '1.34',
    metrics,
    clock: systemClock,
    log: silentLogger,
    keysTimeoutMs,
  })
  opened.close()
}
const etcd: Asks = async ({ port }, timeoutMs) => {
  const connections = new UnaryConnections({ userAgent: 'test', credentials: undefined })
  const request = encodeRange({ start: key('/registry/a') })
  const options = { signal: never, deadline: Date.now() + timeoutMs }
  try {
    let answer: Promise<Buffer> | undefined
    await eventually('the connection is open', () => {
      answer = connections.to(`127.0.0.1:${port}`)?.call('/etcdserverpb.KV/Range', request, options)
      return answer !== undefined
    })
    return decodeRange((await answer) as Buffer)
  } finally {
    connections.close()
  }
}

/** Watches until the watch fails. */
const etcdWatch: Asks = async ({ port }, timeoutMs) => {
  const address = `127.0.0.1:${port}`
  const options = { userAgent: 'test', credentials: undefined }
  const dialled = await new Promise<Socket>((resolve, reject) =>
    dialServer(address, options, (to, failure) => (to ? resolve(to) : reject(failure))),
  )
  const stream = new MessageStream(dialled, peerAt(address, options), { method: '/etcdserverpb.Watch/Watch', metadata: {} })
  const connection: Pick<EtcdConnection, 'deadline' | 'watchStream' | 'watchFailed'> = {
    deadline: () => Date.now() + timeoutMs,
    watchStream: async () => stream,
    watchFailed() {},
  }
  const watch = { start: key('/registry/'), end: key('/registry0'), from: revision(1), progress: true }
  for await (const _ of watchEtcd(connection, watch, never));
}

/** Words of a call that was left to its deadline. */
const LATE = /Deadline exceeded|code = DeadlineExceeded|did not accept the watch in time/

describe('hostile gRPC services', () => {
  const mostTurn = mostTurnMs()
  let server: HostileGrpcServer
  after(() => rmSync(folder, { recursive: true }))

  /** Settles with the error of a call, or undefined. No connection is left, and no turn was long. */
  async function failureOf(asks: Asks, act: GrpcBehaviour, timeoutMs = NEVER_MS): Promise<string | undefined> {
    let failure: string | undefined
    let longest = Number.POSITIVE_INFINITY
    for (let attempt = 0; attempt < ATTEMPTS && longest > mostTurn; attempt++) {
      let sent = 0
      server.act = (to, stream) => {
        to.once('close', () => {
          sent = Math.max(sent, to.bytesWritten)
        })
        act(to, stream)
      }
      const cost = await turnCost(async () => {
        failure = await asks(server, timeoutMs).then(() => undefined, errorMessage)
        await eventually('the connection is closed', () => server.sockets.size === 0)
      })
      longest = Math.min(longest, cost.turn)
      expect(sent).to.be.below(MOST_SENT)
    }
    expect(longest).to.be.at.most(mostTurn)
    return failure
  }

  const services: Readonly<Record<string, { readonly asks: Asks; readonly path?: string }>> = {
    'whose health is looked at': { asks: status, path: socket },
    'that encrypt a key': { asks: encryption, path: socket },
    'that sign tokens': { asks: signer, path: socket },
    'that are etcd': { asks: etcd },
    'whose etcd is watched': { asks: etcdWatch },
  }
  for (const [name, { asks, path }] of Object.entries(services))
    describe(name, () => {
      before(async () => {
        server = await HostileGrpcServer.start(path)
      })
      after(() => server?.close())

      for (const [what, act] of Object.entries(HOSTILE_GRPC))
        it(`end a call by ${what}`, async () => {
          expect(await failureOf(asks, act))
            .to.be.a('string')
            .that.does.not.match(LATE)
        })
      for (const [what, message] of Object.entries(HOSTILE_MESSAGES))
        it(`return a response with ${what}`, async () => {
          expect(await failureOf(asks, answeringWith(message))).to.satisfy(
            (failure?: string) => failure === undefined || !LATE.test(failure),
          )
        })
      for (const [what, act] of Object.entries(SILENT_GRPC))
        it(`delay a call until its deadline by ${what}`, async () => {
          expect(await failureOf(asks, act, SOON_MS)).to.match(LATE)
        })
    })

  describe('that are etcd, with long messages', () => {
    before(async () => {
      server = await HostileGrpcServer.start()
    })
    after(() => server?.close())

    const long: Readonly<Record<string, Buffer>> = {
      'empty items': Buffer.alloc(16 << 20, Buffer.from('1200', 'hex')),
      'numbers that are not known': Buffer.alloc(16 << 20, Buffer.from('7800', 'hex')),
      'a number without an end': Buffer.alloc(16 << 20, 0xff),
    }
    for (const [what, message] of Object.entries(long))
      it(`return a response with ${what}`, async () => {
        expect(await failureOf(etcd, answeringWith(message))).to.match(/too many|integer overflow/)
      })
  })

  describe('that are etcd with a watch, with long and many messages', () => {
    before(async () => {
      server = await HostileGrpcServer.start()
    })
    after(() => server?.close())

    const MEBIBYTES = 16 << 20
    const long: Readonly<Record<string, [Buffer, RegExp]>> = {
      'events without a key': [Buffer.alloc(MEBIBYTES, Buffer.from('5a00', 'hex')), /an event without a key/],
      'empty events': [Buffer.alloc(MEBIBYTES, Buffer.from('5a021200', 'hex')), /too many events/],
      'an event of empty fields': [
        Buffer.concat([Buffer.from('5afaffff07', 'hex'), Buffer.alloc(MEBIBYTES - 6, Buffer.from('1200', 'hex'))]),
        /too many fields/,
      ],
      'numbers that are not known': [Buffer.alloc(MEBIBYTES, Buffer.from('7800', 'hex')), /ended the watch/],
      'a number without an end': [Buffer.alloc(MEBIBYTES, 0xff), /integer overflow/],
    }
    for (const [what, [message, failure]] of Object.entries(long))
      it(`send ${what}`, async () => {
        expect(await failureOf(etcdWatch, answeringWith(message))).to.match(failure)
      })

    it('send endless fragments of one revision', async () => {
      // Fragment 1, and an event of the key `a` with the revision 5.
      expect(await failureOf(etcdWatch, repeating(Buffer.from('38015a071205 0a01611805'.replace(' ', ''), 'hex')))).to.match(
        /too many events/,
      )
    })
    it('send endless progress notifications', async () => {
      expect(await failureOf(etcdWatch, repeating(Buffer.from('0a021805', 'hex')))).to.match(/too many responses without events/)
    })
  })

  /** One behaviour for each call, and again from the start. */
  function inOrder(...behaviours: readonly GrpcBehaviour[]): GrpcBehaviour {
    let calls = 0
    return (to, stream) => behaviours[calls++ % behaviours.length]?.(to, stream)
  }

  describe('that are KMS plugins with a good health status', () => {
    before(async () => {
      server = await HostileGrpcServer.start(socket)
    })
    after(() => server?.close())
    const WELL = answeringWith(Buffer.from(Writer.create().uint32(10).string('v2').uint32(18).string('ok').uint32(26).string('a').finish()))

    it('encrypt a key with very many annotations', async () => {
      const writer = Writer.create().uint32(10).bytes(Buffer.alloc(32)).uint32(18).string('a')
      for (let i = 0; i < 1000; i++)
        writer
          .uint32(26)
          .fork()
          .uint32(10)
          .string(`${i.toString(36)}.b`)
          .ldelim()
      expect(await failureOf(status, inOrder(WELL, answeringWith(Buffer.from(writer.finish()))))).to.equal(undefined)
    })
    it('encrypt a key with long annotations', async () => {
      const writer = Writer.create().uint32(10).bytes(Buffer.alloc(32)).uint32(18).string('a')
      for (let i = 0; i < 10; i++)
        writer
          .uint32(26)
          .fork()
          .uint32(10)
          .string(`${`${'a'.repeat(60)}.`.repeat(200)}${i}`)
          .ldelim()
      expect(await failureOf(status, inOrder(WELL, answeringWith(Buffer.from(writer.finish()))))).to.contain(
        'failed to validate annotations',
      )
    })
  })

  describe('that sign tokens, after valid public keys', () => {
    before(async () => {
      server = await HostileGrpcServer.start(socket)
    })
    after(() => server?.close())

    const ALLOWED = answeringWith(Buffer.from(Writer.create().uint32(8).int32(3600).finish()))
    const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const der = publicKey.export({ type: 'spki', format: 'der' })
    /** As many keys, all the same but for their ids. */
    function keysOf(count: number): GrpcBehaviour {
      const writer = Writer.create()
      for (let i = 0; i < count; i++) writer.uint32(10).fork().uint32(10).string(String(i)).uint32(18).bytes(der).ldelim()
      writer.uint32(18).fork().uint32(8).int32(1).ldelim().uint32(24).int32(600)
      return answeringWith(Buffer.from(writer.finish()))
    }
    it('are called again until the deadline while they return errors', async () => {
      expect(await failureOf(signer, refusing, SOON_MS)).to.match(LATE)
    })

    it('may have very many keys', async () => {
      expect(await failureOf(signer, inOrder(keysOf(1000), ALLOWED))).to.equal(undefined)
    })

    const signs: Asks = async () => {
      const opened = await openExternalSigner({
        endpoint: socket,
        release: '1.34',
        metrics: new SignerMetrics(),
        clock: systemClock,
        log: silentLogger,
      })
      const claims = { aud: [], exp: 2, iat: 1, iss: 'https://issuer', nbf: 1, sub: 'me', 'kubernetes.io': { namespace: 'n' } }
      await opened.sign(claims as never).finally(() => opened.close())
    }
    const headers: Readonly<Record<string, (length: number) => string>> = {
      'opening brackets': length => '['.repeat(length),
      spaces: length => ' '.repeat(length),
      'a member that is repeated': length => `{${'"kid":"a",'.repeat(length / 10)}"kid":"b"}`,
      'a long key id': length => `{"kid":"${'k'.repeat(length)}"}`,
    }
    for (const [what, header] of Object.entries(headers))
      for (const length of [12_000, 700_000])
        it(`sign with a header of ${what}, ${length} bytes in total`, async () => {
          const signed = Writer.create()
            .uint32(10)
            .string(Buffer.from(header(length)).toString('base64url'))
            .uint32(18)
            .string('x')
            .finish()
          expect(await failureOf(signs, inOrder(keysOf(1), ALLOWED, answeringWith(Buffer.from(signed))))).to.contain(
            'while validating header',
          )
        })
    it('sign a token that is not base64', async () => {
      const signed = Writer.create().uint32(10).string('='.repeat(900_000)).finish()
      expect(await failureOf(signs, inOrder(keysOf(1), ALLOWED, answeringWith(Buffer.from(signed))))).to.contain('while unwrapping header')
    })
  })
})
