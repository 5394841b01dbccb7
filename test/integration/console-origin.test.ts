import { once } from 'node:events'
import { createServer, type Server as HttpServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import type { Browser, Page } from 'playwright-core'
import { type Server, startServer } from '../../src/process/start-server.ts'
import { NO_BROWSER, openBrowser } from '../support/browser.ts'
import { ownAddress } from '../support/connect-world.ts'
import { createJsonClient, type JsonClient } from '../support/json-client.ts'

/**
 * Registers a worker for the whole origin, and says what became of it. Then it tries to open the console in a frame and
 * to read it.
 */
const PAGE = `<!doctype html><title>evil</title><script>
const told = []
const tell = text => { told.push(text); document.title = told.join('; ') }
navigator.serviceWorker.register('worker.js', { scope: '/' })
  .then(() => navigator.serviceWorker.ready).then(() => tell('registered'), error => tell('refused: ' + error.name))
</script>`

/** A service worker that replaces the console's page by one that steals the link's token. */
const WORKER = `
self.addEventListener('install', () => self.skipWaiting())
self.addEventListener('activate', event => event.waitUntil(self.clients.claim()))
self.addEventListener('fetch', event => {
  if (new URL(event.request.url).pathname.startsWith('/console'))
    event.respondWith(new Response('<script>document.title = "taken " + location.hash</script>', { headers: { 'content-type': 'text/html' } }))
})`

/** Parts of another origin that a page can see: in a tab that it opens, and by a request. */
const LOOK = `async at => {
  const tab = window.open(at + '/console/', 'console')
  const fetched = await fetch(at + '/console/').then(() => 'read', () => 'not read')
  let opened = 'empty'
  for (let i = 0; i < 100 && opened === 'empty' && !tab.closed; i++) {
    await new Promise(resolve => setTimeout(resolve, 50))
    try {
      if (tab.location.href !== 'about:blank') opened = 'seen'
    } catch {
      opened = 'not seen'
    }
  }
  if (tab.closed) opened = 'not seen'
  return { fetched, opened, kept: sessionStorage.length + localStorage.length }
}`

const HEADERS = {
  'service-worker-allowed': '/',
  'clear-site-data': '"cookies"',
  'strict-transport-security': 'max-age=600',
  'alt-svc': 'h2=":1"; ma=600',
}

describe('a page of a pod behind the proxy', () => {
  const skipped = NO_BROWSER ?? (ownAddress === undefined ? 'this machine has no address beside loopback, where proxies go' : undefined)
  if (skipped !== undefined) {
    it.skip(`is not tried: ${skipped}`)
    return
  }
  let server: Server
  let pod: HttpServer
  let client: JsonClient
  let browser: Browser
  /** Paths of the requests that the pod received. */
  const asked: string[] = []

  before(async () => {
    pod = createServer(({ url = '' }, answer) => {
      asked.push(url)
      const isWorker = url.endsWith('worker.js')
      answer
        .writeHead(200, { ...HEADERS, 'content-type': isWorker ? 'text/javascript' : 'text/html', 'set-cookie': 'taken=1; Path=/' })
        .end(isWorker ? WORKER : PAGE)
    })
    pod.listen(0, ownAddress)
    await once(pod, 'listening')
    server = await startServer({
      flags: { console: true, 'insecure-port': 18_000 + (process.pid % 10_000), 'disable-admission-plugins': 'ServiceAccount' },
    })
    client = createJsonClient(server.insecureUrl ?? '')
    const name = `evil:${(pod.address() as AddressInfo).port}`
    await client.must('POST', '/api/v1/namespaces/default/pods', {
      metadata: { name: 'evil' },
      spec: { containers: [{ name: 'c', image: 'i' }] },
    })
    await client.ask('PATCH', '/api/v1/namespaces/default/pods/evil/status', {
      body: { status: { podIP: ownAddress, podIPs: [{ ip: ownAddress }] } },
      contentType: 'application/merge-patch+json',
    })
    // The browser presents no credentials: the page needs none.
    await client.must('POST', '/apis/rbac.authorization.k8s.io/v1/clusterroles', {
      metadata: { name: 'proxy' },
      rules: [{ apiGroups: [''], resources: ['pods/proxy'], verbs: ['*'] }],
    })
    await client.must('POST', '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings', {
      metadata: { name: 'proxy' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'proxy' },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: 'system:unauthenticated' }],
    })
    page = `${server.url}/api/v1/namespaces/default/pods/${name}/proxy/`
    // Service workers need a certificate that the browser trusts.
    browser = await openBrowser(['--ignore-certificate-errors'])
  })
  after(async () => {
    await browser?.close()
    client?.close()
    pod?.close()
    await server?.stop()
  })

  let page = ''

  const titleOf = async (at: Page, wanted: RegExp): Promise<string> => {
    for (let i = 0; i < 200; i++) {
      const title = await at.title().catch(() => '')
      if (wanted.test(title)) return title
      await at.waitForTimeout(50)
    }
    return at.title()
  }

  it('is served, and cannot register a service worker', async () => {
    const context = await browser.newContext({ ignoreHTTPSErrors: true })
    const evil = await context.newPage()
    const answer = await evil.goto(page)
    expect(answer?.status()).to.equal(200)
    expect(Object.keys(answer?.headers() ?? {})).to.not.include.members(Object.keys(HEADERS))
    expect(await titleOf(evil, /registered|refused/)).to.match(/^refused/)
    expect(asked.filter(path => path.endsWith('worker.js'))).to.deep.equal([])
    await context.close()
  })

  it('cannot read the console in a tab of the same browser', async () => {
    const context = await browser.newContext({ ignoreHTTPSErrors: true })
    const evil = await context.newPage()
    await evil.goto(page)
    await titleOf(evil, /registered|refused/)
    const { link, port } = (await client.must('POST', '/binnacle/v1/console/links')) as unknown as { link: string; port?: number }
    const origin = new URL(server.url)
    if (port !== undefined) origin.port = String(port)
    const console = await context.newPage()
    await console.goto(origin.origin + link)
    await console.waitForSelector('.side')
    expect(await console.title()).to.not.match(/^taken/)
    expect(new URL(console.url()).origin).to.not.equal(new URL(page).origin)

    // A tab of the same host and another port looks at it.
    const seen = await evil.evaluate(`(${LOOK})(${JSON.stringify(origin.origin)})`)
    expect(seen).to.deep.equal({ fetched: 'not read', opened: 'not seen', kept: 0 })
    await context.close()
  })
})
