import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { type Browser, chromium, type Page } from 'playwright-core'

/** A browser of this machine; none is downloaded. */
const PROGRAM =
  process.env.CHROMIUM ?? ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(path => existsSync(path))

/** Reason why tests with a browser are skipped. Undefined if there is one. */
export const NO_BROWSER = PROGRAM === undefined ? 'there is no Chromium ($CHROMIUM)' : undefined

/** Pictures of pages, for people to look at. */
const PICTURES = join(import.meta.dirname, '../.artifacts/console')

/** `args`: more than those without which it does not run in a container. */
export const openBrowser = (args: readonly string[] = []): Promise<Browser> =>
  chromium.launch({ executablePath: PROGRAM ?? '', args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', ...args] })

export interface WatchedPage {
  readonly page: Page
  /** Whatever a page should not do: errors, violations of its policy, requests to other origins. */
  readonly faults: string[]
  close(): Promise<void>
}

export interface PageOptions {
  readonly width?: number
  readonly height?: number
  readonly colorScheme?: 'light' | 'dark'
}

/** A page with nothing kept from others, of a server whose certificate is not known. */
export async function openPage(
  browser: Browser,
  origin: string,
  { width = 1280, height = 800, colorScheme = 'light' }: PageOptions = {},
): Promise<WatchedPage> {
  const context = await browser.newContext({ ignoreHTTPSErrors: true, viewport: { width, height }, colorScheme, reducedMotion: 'reduce' })
  const page = await context.newPage()
  const faults: string[] = []
  page.on('pageerror', error => faults.push(`error: ${error.message}`))
  page.on('dialog', dialog => {
    faults.push(`dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  page.on('console', message => {
    if (/Content Security Policy|violates|Trusted/i.test(message.text())) faults.push(`policy: ${message.text()}`)
  })
  page.on('request', request => {
    if (!request.url().startsWith(`${origin}/`) && !request.url().startsWith('data:')) faults.push(`request: ${request.url()}`)
  })
  // A text: it runs in the page.
  const tell = "event => console.log('violates ' + event.violatedDirective + ': ' + event.blockedURI + ' ' + event.sample)"
  await page.addInitScript({ content: `document.addEventListener('securitypolicyviolation', ${tell})` })
  return { page, faults, close: () => context.close() }
}

export async function takePicture(page: Page, name: string): Promise<void> {
  mkdirSync(PICTURES, { recursive: true })
  await page.screenshot({ path: join(PICTURES, `${name}.png`) })
}
