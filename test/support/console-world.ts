import { Agent, request } from 'node:https'
import type { Browser } from 'playwright-core'
import { type Server, startServer } from '../../src/process/start-server.ts'
import type { AnyObject } from './any-object.ts'
import { openBrowser, openPage, type PageOptions, type WatchedPage } from './browser.ts'

/** A server with a console, and a browser. */
export interface ConsoleWorld {
  readonly server: Server
  /** Address of the console. */
  readonly origin: string
  /** Sends a request. Throws if the response is not 2xx. */
  send(method: string, path: string, body?: unknown, type?: string): Promise<AnyObject>
  newLink(): Promise<string>
  /** A page with a session of its own, once it shows something. */
  enter(options?: PageOptions): Promise<WatchedPage>
  close(): Promise<void>
}

export async function openConsoleWorld(flags: Readonly<Record<string, string | boolean>> = {}): Promise<ConsoleWorld> {
  const server = await startServer({ flags: { console: true, ...flags } })
  const agent = new Agent({ ca: server.certificateAuthority, cert: server.clientCertificate, key: server.clientKey, keepAlive: true })
  const browser: Browser = await openBrowser()
  const send = (method: string, path: string, body?: unknown, type = 'application/json'): Promise<AnyObject> =>
    new Promise((resolve, reject) => {
      const sent = request(`${server.url}${path}`, { method, agent, headers: { 'content-type': type } }, answer => {
        let text = ''
        answer.on('data', (part: Buffer) => {
          text += part.toString()
        })
        answer.on('end', () =>
          (answer.statusCode ?? 0) < 300 ? resolve(JSON.parse(text)) : reject(new Error(`${method} ${path}: ${text}`)),
        )
      })
      sent.on('error', reject).end(body === undefined ? undefined : JSON.stringify(body))
    })
  const origin = new URL(server.consoleUrl ?? '').origin
  const newLink = async (): Promise<string> => origin + (await send('POST', '/binnacle/v1/console/links')).link
  return {
    server,
    origin,
    send,
    newLink,
    async enter(options) {
      const opened = await openPage(browser, origin, options)
      await opened.page.goto(await newLink())
      await opened.page.waitForSelector('.side')
      return opened
    },
    async close() {
      await browser.close()
      agent.destroy()
      await server.stop()
    },
  }
}

/** Goes to an address of the console, and waits until it shows what the selector finds. */
export async function visit({ page }: WatchedPage, hash: string, selector: string): Promise<void> {
  await page.evaluate(`location.hash = ${JSON.stringify(hash)}`)
  await page.waitForSelector(selector)
}

/**
 * Waits until an expression is true in the page. It is run by the tools of the browser: the page's policy lets no text
 * be run.
 */
export async function until({ page }: WatchedPage, expression: string): Promise<void> {
  const deadline = Date.now() + 120_000
  while (!(await page.evaluate(expression))) {
    if (Date.now() > deadline) throw new Error(`it is never true: ${expression}`)
    await page.waitForTimeout(25)
  }
}

/** Returns the faults that an accessibility checker reports, one per line. */
export async function accessibilityFaults({ page }: WatchedPage, checker: string): Promise<string[]> {
  await page.evaluate(`${checker};undefined`)
  const { violations } = (await page.evaluate('axe.run(document, { resultTypes: ["violations"] })')) as {
    readonly violations: readonly {
      readonly id: string
      readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[]
    }[]
  }
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary = '' }) => `${id}: ${html.slice(0, 200)} ${failureSummary}`),
  )
}
