import { expect } from 'chai'
import { silentLogger } from '../../../../src/lib/log.ts'
import { invalid, tooLongError } from '../../../../src/meta/field-error.ts'
import { fieldPath } from '../../../../src/meta/field-path.ts'
import { pageNotFound } from '../../../../src/meta/plain-text-error.ts'
import { invalidError, notFoundError } from '../../../../src/meta/status.ts'
import type { Wording } from '../../../../src/meta/wording.ts'
import { withErrors } from '../../../../src/server/filters/errors.ts'
import { filterContext, runFilter } from '../../../support/filter-context.ts'

describe('withErrors', () => {
  const logged: string[] = []
  const log = { ...silentLogger, error: (message: string) => void logged.push(message) }
  beforeEach(() => {
    logged.length = 0
  })

  /** The response if the later filters end this way. */
  async function answerTo(next: (ctx: ReturnType<typeof filterContext>) => Promise<void>, wording?: Wording) {
    const ctx = filterContext()
    const { exchange } = ctx.state
    const answers: { status: number; contentType: string; body: string }[] = []
    const { sendBytes } = exchange
    exchange.sendBytes = (status, contentType, body) => {
      answers.push({ status, contentType, body: String(body) })
      return sendBytes.call(exchange, status, contentType, body)
    }
    await runFilter(withErrors(log, wording), ctx, () => next(ctx))
    return { answers, exchange }
  }
  const failWith = (error: unknown) => answerTo(() => Promise.reject(error))

  it('leaves a response unchanged', async () => {
    const { answers } = await answerTo(({ state }) => state.exchange.sendBytes(200, 'text/plain', Buffer.from('done')))
    expect(answers).to.deep.equal([{ status: 200, contentType: 'text/plain', body: 'done' }])
  })
  it('sends a Status', async () => {
    const { answers } = await failWith(notFoundError({ group: '', resource: 'things' }, 'x'))
    expect(answers).to.have.length(1)
    expect(answers[0]).to.include({ status: 404, contentType: 'application/json' })
    expect(JSON.parse(answers[0]?.body ?? '')).to.include({ message: 'things "x" not found', reason: 'NotFound' })
    expect(logged).to.deep.equal([])
  })
  it('sends the error messages of 1.34 and later if configured', async () => {
    const fault = invalidError({ group: '', kind: 'Thing' }, 'x', [
      invalid(fieldPath('spec', 'a'), ['b'], 'no'),
      tooLongError(fieldPath('spec', 'c'), 1),
    ])
    const messages = async (wording: Wording): Promise<unknown> => {
      const { answers } = await answerTo(() => Promise.reject(fault), wording)
      const { message, details } = JSON.parse(answers[0]?.body ?? '')
      return [message, details.causes.map((cause: { message: string }) => cause.message)]
    }
    const before = ['Invalid value: []string{"b"}: no', 'Too long: may not be more than 1 bytes']
    const since = ['Invalid value: ["b"]: no', 'Too long: may not be more than 1 byte']
    expect(await messages('1.24')).to.deep.equal([`Thing "x" is invalid: [spec.a: ${before[0]}, spec.c: ${before[1]}]`, before])
    expect(await messages('1.34')).to.deep.equal([`Thing "x" is invalid: [spec.a: ${since[0]}, spec.c: ${since[1]}]`, since])
  })
  it('sends plain text', async () => {
    const { answers } = await failWith(pageNotFound())
    expect(answers).to.deep.equal([{ status: 404, contentType: 'text/plain; charset=utf-8', body: '404 page not found\n' }])
  })
  it('sends a Status for a path that is not served since 1.38', async () => {
    const answerIn = async (wording: Wording) => (await answerTo(() => Promise.reject(pageNotFound()), wording)).answers[0]
    expect((await answerIn('1.37'))?.contentType).to.equal('text/plain; charset=utf-8')
    expect(JSON.parse((await answerIn('1.38'))?.body ?? '')).to.deep.equal({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: '404 page not found',
      reason: 'NotFound',
      code: 404,
    })
  })
  it('sends 500 for a bug, and logs it', async () => {
    const { answers } = await failWith(new Error('oops'))
    expect(JSON.parse(answers[0]?.body ?? '')).to.include({ code: 500, message: 'Internal error occurred: oops' })
    expect(logged).to.deep.equal(['request failed'])
  })
  it('sends 400 if the stack overflows', async () => {
    const { answers } = await failWith(new RangeError('Maximum call stack size exceeded'))
    expect(answers[0]).to.include({ status: 400 })
  })
  it('sends 500 if the handler has not responded', async () => {
    const { answers } = await answerTo(async () => {})
    expect(answers[0]).to.include({ status: 500 })
  })
  it('closes the connection if the response has begun', async () => {
    const { answers, exchange } = await answerTo(async ({ state }) => {
      state.exchange.stream(200, 'application/json')
      throw new Error('oops')
    })
    expect(answers).to.deep.equal([])
    expect(exchange.clientGone).to.equal(true)
  })
})
