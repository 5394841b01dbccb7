import { source as checker } from 'axe-core'
import { expect } from 'chai'
import { NO_BROWSER, openBrowser, openPage, takePicture, type WatchedPage } from '../support/browser.ts'
import { accessibilityFaults, type ConsoleWorld, openConsoleWorld, until, visit } from '../support/console-world.ts'

const DEPLOYMENTS = '/apis/apps/v1/namespaces/default/deployments'
const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps'

const template = { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'web', image: 'nginx' }] } }
const web = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', labels: { app: 'web' } },
  spec: { replicas: 1, selector: { matchLabels: { app: 'web' } }, template },
}

/** Every page, and what tells that it is there. */
const PAGES: Readonly<Record<string, readonly [hash: string, selector: string]>> = {
  table: ['#/objects/core/v1/configmaps', 'table.rows'],
  yaml: ['#/object/apps/v1/deployments/default/web', '.legend'],
  history: ['#/object/apps/v1/deployments/default/web?tab=history', '.moments'],
  events: ['#/object/apps/v1/deployments/default/web?tab=events', 'table.plain'],
  graph: ['#/object/apps/v1/deployments/default/web?tab=graph', 'svg.graph'],
  rollout: ['#/object/apps/v1/deployments/default/web?tab=rollout', '.node-cards'],
  nodes: ['#/nodes', '.page .note, .node-cards'],
  requests: ['#/requests', '.page .note, table.rows'],
  metrics: ['#/metrics', '.charts'],
  deprecated: ['#/deprecated', '.page .note, table.plain'],
  cel: ['#/cel', '.facts'],
  policies: ['#/policies', 'form.form'],
  faults: ['#/faults', 'form.form'],
}

/** Scripts wherever an object holds a text, and what else could upset a page. */
const HOSTILE = {
  metadata: {
    name: 'hostile',
    annotations: {
      'a/script': '<script>alert(1)</script><img src=x onerror=alert(2)>"\'`$' + '{alert(3)}',
      'a/url': 'javascript:alert(4)',
      'a/rtl': '\u202e\u2066evil\u0000\u001b[31m',
    },
  },
  data: {
    html: '</pre></div><script>alert(5)</script><iframe srcdoc="<script>alert(6)</script>"></iframe>',
    svg: '<svg onload=alert(7)>',
    ['__proto__']: 'x',
    constructor: '{{constructor.constructor("alert(8)")()}}',
    toString: 'x',
    long: 'a'.repeat(400_000),
    lines: 'b\n'.repeat(200_000),
  },
}

describe('the console in a browser', () => {
  if (NO_BROWSER !== undefined) {
    it.skip(`is not tried: ${NO_BROWSER}`)
    return
  }
  let world: ConsoleWorld
  const opened: WatchedPage[] = []
  const enter: ConsoleWorld['enter'] = async options => {
    const page = await world.enter(options)
    opened.push(page)
    return page
  }
  before(async () => {
    world = await openConsoleWorld({ 'enable-faults': true, history: '1h', why: '200' })
    const { send } = world
    await send('PATCH', `${DEPLOYMENTS}/web?fieldManager=team-a`, web, 'application/apply-patch+yaml')
    await send('PATCH', `${DEPLOYMENTS}/web?fieldManager=scaler`, { spec: { replicas: 5 } }, 'application/merge-patch+json')
    const { uid } = (await send('GET', `${DEPLOYMENTS}/web`)).metadata
    const ownerReferences = [{ apiVersion: 'apps/v1', kind: 'Deployment', name: 'web', uid, controller: true }]
    await send('POST', '/apis/apps/v1/namespaces/default/replicasets', {
      metadata: { name: 'web-1', ownerReferences },
      spec: { selector: web.spec.selector, template },
    })
    await send('POST', '/api/v1/namespaces/default/events', {
      metadata: { name: 'scaled' },
      involvedObject: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web', namespace: 'default', uid },
      reason: 'Scaled',
      message: '<b>up</b>',
      type: 'Normal',
    })
    await send('POST', CONFIG_MAPS, HOSTILE)
  })
  afterEach(async () => {
    const faults = opened.flatMap(each => each.faults)
    await Promise.all(opened.splice(0).map(({ close }) => close()))
    expect(faults).to.deep.equal([])
  })
  after(() => world?.close())

  it('opens with a link that is valid once', async () => {
    const browser = await openBrowser()
    try {
      const link = await world.newLink()
      const first = await openPage(browser, world.origin)
      await first.page.goto(link)
      await first.page.waitForSelector('table.rows')
      expect(first.page.url()).to.equal(`${world.origin}/console/#/`)
      await first.page.reload()
      await first.page.waitForSelector('table.rows')
      const second = await openPage(browser, world.origin)
      await second.page.goto(link)
      await second.page.waitForSelector('.entrance')
      expect([...first.faults, ...second.faults]).to.deep.equal([])
      await first.page.click('text=End session')
      await first.page.waitForSelector('.entrance')
      await first.page.reload()
      await first.page.waitForSelector('.entrance')
    } finally {
      await browser.close()
    }
  })

  it('rejects requests from other origins', async () => {
    const browser = await openBrowser()
    try {
      const { page } = await openPage(browser, 'data:')
      await page.goto('data:text/html,<p>elsewhere')
      const tried = (path: string, init: object): Promise<unknown> =>
        page.evaluate(
          `fetch(${JSON.stringify(world.origin + path)}, ${JSON.stringify(init)}).then(answer => answer.text()).then(text => 'read ' + text.slice(0, 50), error => 'nothing')`,
        )
      const token = (await world.newLink()).replace(/.*#/, '')
      expect(await tried('/console/', {})).to.equal('nothing')
      expect(await tried('/console/sessions', { method: 'POST', body: JSON.stringify({ token }) })).to.equal('nothing')
      expect(await tried('/api/v1/namespaces', { headers: { Authorization: 'Bearer x' } })).to.equal('nothing')
      const framed = await page.evaluate(
        `new Promise(resolve => { const frame = document.createElement('iframe'); frame.onload = () => { let seen = 'nothing'; try { seen = frame.contentDocument.body.textContent } catch {}; resolve(seen) }; frame.src = ${JSON.stringify(`${world.origin}/console/`)}; document.body.append(frame) })`,
      )
      expect(framed).to.equal('nothing')
    } finally {
      await browser.close()
    }
  })

  it('shows a live collection, and filters it by text, labels and namespace', async () => {
    const opened = await enter()
    const { page } = opened
    await visit(opened, '#/objects/core/v1/configmaps', 'text=hostile')
    await world.send('POST', CONFIG_MAPS, { metadata: { name: 'later', labels: { tier: 'back' } } })
    await page.waitForSelector('text=later')
    await page.fill('input[name=text]', 'later')
    await until(opened, 'document.querySelectorAll("tbody tr").length === 1')
    await page.fill('input[name=text]', '')
    await page.fill('input[name=labels]', 'tier=back')
    await page.press('input[name=labels]', 'Enter')
    await until(
      opened,
      'document.querySelectorAll("tbody tr").length === 1 && document.querySelector("tbody").textContent.includes("later")',
    )
    await page.fill('input[name=namespace]', 'kube-system')
    await page.press('input[name=namespace]', 'Enter')
    await page.waitForSelector('text=No ConfigMap in kube-system with the labels tier=back.')
    await visit(opened, '#/objects/core/v1/configmaps?namespace=default', 'text=later')
    await world.send('DELETE', `${CONFIG_MAPS}/later`)
    await until(opened, '!document.querySelector("tbody").textContent.includes("later")')
  })

  it('shows nodes with their pods, and a rollout', async () => {
    const { send } = world
    await send('POST', '/api/v1/nodes', { metadata: { name: 'shown' } })
    const [set] = (await send('GET', '/apis/apps/v1/namespaces/default/replicasets')).items
    const ownerReferences = [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web-1', uid: set.metadata.uid, controller: true }]
    await send('POST', '/api/v1/namespaces/default/pods', {
      metadata: { name: 'web-1-a', labels: { app: 'web' }, ownerReferences },
      spec: { nodeName: 'shown', containers: [{ name: 'web', image: 'nginx' }] },
    })
    const opened = await enter()
    const { page } = opened
    await visit(opened, '#/nodes', '.node-card:has-text("shown") .pod-mark.starting')
    await send(
      'PATCH',
      '/api/v1/namespaces/default/pods/web-1-a/status',
      {
        status: {
          phase: 'Running',
          conditions: [{ type: 'Ready', status: 'True' }],
          containerStatuses: [{ name: 'web', ready: true, restartCount: 0, image: 'nginx', imageID: '', state: { running: {} } }],
        },
      },
      'application/strategic-merge-patch+json',
    )
    await page.waitForSelector('.node-card:has-text("shown") .pod-mark.ready')
    await visit(opened, '#/object/apps/v1/deployments/default/web?tab=rollout', '.node-card:has-text("web-1") .pod-mark.ready')
  })

  it('works with the keyboard alone', async () => {
    const opened = await enter()
    const { page } = opened
    await page.waitForSelector('table.rows')
    await page.keyboard.press('/')
    await page.keyboard.type('deploy')
    await page.keyboard.press('Enter')
    await page.waitForSelector('tbody a:has-text("web")')
    await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    await page.waitForSelector('.legend')
    await page.keyboard.press('4')
    await page.waitForSelector('svg.graph')
    await page.keyboard.press('?')
    await page.waitForSelector('dialog[open]')
    await page.keyboard.press('Escape')
    await until(opened, 'document.querySelector("dialog") === null')
    await page.keyboard.press('Escape')
    await page.waitForSelector('table.rows')
  })

  it('colours fields by their managers', async () => {
    const opened = await enter()
    const { page } = opened
    await visit(opened, '#/object/apps/v1/deployments/default/web', '.legend')
    expect(await page.locator('.legend button bdi').allTextContents()).to.have.members(['team-a', 'scaler'])
    const owners = (await page.locator('.legend .owner').allTextContents()).map((letter, i) => [letter, i])
    expect(owners.map(([letter]) => letter)).to.deep.equal(['A', 'B'])
    const names = await page.locator('.legend button bdi').allTextContents()
    const line = page.locator('.line', { hasText: 'replicas: 5' })
    expect(await line.locator('.owner').textContent()).to.equal('AB'[names.indexOf('scaler')])
    await page.click('.legend button:has-text("scaler")')
    expect(await page.locator('.line.faint', { hasText: 'image: nginx' }).count()).to.equal(1)
    expect(await page.locator('.line.faint', { hasText: 'replicas: 5' }).count()).to.equal(0)
  })

  it('shows events, owners and dependents', async () => {
    const opened = await enter()
    const { page } = opened
    await visit(opened, PAGES.events?.[0] ?? '', 'text=<b>up</b>')
    await visit(opened, PAGES.graph?.[0] ?? '', 'svg.graph')
    expect((await page.locator('svg a').allTextContents()).sort()).to.deep.equal(['Deployment web', 'ReplicaSet web-1'])
    await page.click('svg a:has-text("web-1")')
    await page.waitForSelector('h1:has-text("web-1")')
    await page.waitForSelector('svg a:has-text("Deployment")')
  })

  it('plots the metrics of the server', async () => {
    const opened = await enter()
    await visit(opened, '#/metrics', '.charts')
    expect(await opened.page.locator('.chart-title').allTextContents()).to.include.members([
      'Requests a second, by verb',
      'Memory',
      'Watches',
    ])
    expect(await opened.page.locator('.chart:has-text("Memory") b').first().textContent()).to.match(/^\d+ MB$/)
  })

  it('lists the deprecated versions that are in use', async () => {
    await world.send('GET', '/api/v1/componentstatuses')
    const opened = await enter()
    await visit(opened, '#/deprecated', 'table.plain a:has-text("componentstatuses")')
  })

  it('evaluates expressions', async () => {
    const opened = await enter()
    const { page } = opened
    await visit(opened, '#/cel', '.facts')
    expect(await page.locator('.facts .good').textContent()).to.equal('true')
    await page.fill('textarea >> nth=0', 'object.spec.replicas + 39')
    await page.waitForSelector('.facts .good:has-text("42")')
    await page.fill('textarea >> nth=0', 'object.')
    await page.waitForSelector('pre.bad:has-text("Syntax error")')
    await page.fill('textarea >> nth=1', '{')
    await page.waitForSelector('p.bad:has-text("no JSON object")')
  })

  it('tries a policy on stored objects', async () => {
    const opened = await enter()
    const { page } = opened
    await visit(opened, '#/policies', 'form.form')
    await page.selectOption('select', 'configmaps')
    await page.click('text=Try it')
    await page.waitForSelector('td:has-text("the label owner is missing of hostile")')
    await page.fill('textarea', 'kind: Pod')
    await page.click('text=Try it')
    await page.waitForSelector('[role=alert]:has-text("must be a ValidatingAdmissionPolicy")')
  })

  it('creates and deletes faults', async () => {
    const opened = await enter()
    const { page } = opened
    await visit(opened, '#/faults', 'form.form')
    await page.fill('input[name=name]', 'busy')
    await page.fill('input[name=resources]', 'leases.coordination.k8s.io')
    await page.click('form button.main')
    await page.waitForSelector('td:has-text("Active")')
    await world.send('GET', '/apis/coordination.k8s.io/v1/leases').then(
      () => expect.fail('it is served'),
      (error: Error) => expect(error.message).to.include('503'),
    )
    await page.click('table.plain button')
    await page.waitForSelector('text=No faults: every request is served')
  })

  it('names the features that are off', async () => {
    const opened = await enter()
    const { page } = opened
    await page.route('**/binnacle/v1/{why,history}**', route => route.fulfill({ status: 404, json: { message: 'not found' } }))
    await page.route('**/binnacle/v1/history/**', route => route.fulfill({ status: 404, json: { message: 'not found' } }))
    await visit(opened, '#/requests', 'text=The record of requests is off')
    await visit(opened, PAGES.history?.[0] ?? '', 'text=History is off')
  })

  it('shows the outcome of a request of another client', async () => {
    await world.send('POST', CONFIG_MAPS, { metadata: { name: 'recorded' } })
    const opened = await enter()
    await visit(opened, '#/requests', 'table.rows')
    await opened.page.click('tr:has-text("create") a:has-text("configmaps")')
    await opened.page.waitForSelector('.steps li:has-text("authorized"):has-text("allow")')
  })

  it('shows the changes of each revision', async () => {
    const opened = await enter()
    const { page } = opened
    await visit(opened, PAGES.history?.[0] ?? '', '.moments')
    expect(await page.locator('.moments .sign').allTextContents()).to.deep.equal(['updated', 'created'])
    expect(await page.locator('.line.removed .text').allTextContents()).to.include('  replicas: 1')
    expect(await page.locator('.line.added .text').allTextContents()).to.include('  replicas: 5')
    await page.click('.moments button >> nth=1')
    await page.waitForSelector('.line.added:has-text("kind: Deployment")')
  })

  it('lists recent requests, and explains the outcome of one', async () => {
    const opened = await enter()
    const { page } = opened
    const request = {
      auditID: 'a1',
      time: '2026-01-02T03:04:05.678Z',
      user: '<i>jane</i>',
      userAgent: 'kubectl/v1.33.4 (linux/amd64)',
      verb: 'get',
      method: 'GET',
      uri: '/api/v1/secrets',
      status: 403,
      milliseconds: 1.25,
      bytes: 300,
    }
    const why = {
      ...request,
      kind: 'Why',
      steps: [
        { step: 'authenticated', at: 0.1, user: { name: 'jane', groups: [] }, proof: { kind: 'token' } },
        { step: 'authorized', at: 0.3, decision: 'no opinion', reason: '' },
      ],
      denial: {
        modes: ['RBAC'],
        closest: [{ binding: 'RoleBinding shop/readers', role: 'Role readers', rule: { verbs: ['get'] }, missing: ['resource'] }],
        toAllow: { commands: ['kubectl create role x', "kubectl create rolebinding x --user='\u202eevil'"], yaml: '' },
      },
    }
    const agent = await page.evaluate('navigator.userAgent')
    await page.route('**/binnacle/v1/why?*', route =>
      route.fulfill({
        json: {
          items: [
            request,
            { ...request, auditID: 'a2', status: 200, uri: '/api/v1/pods' },
            { ...request, auditID: 'a3', userAgent: agent },
          ],
        },
      }),
    )
    await page.route('**/binnacle/v1/why/a1', route => route.fulfill({ json: why }))
    await visit(opened, '#/requests', 'td:has-text("<i>jane</i>")')
    await page.click('text=Failed only')
    await until(opened, 'document.querySelectorAll("tbody tr").length === 1')
    await page.keyboard.press('Escape')
    await page.evaluate('document.activeElement.blur()')
    await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    await page.waitForSelector('.steps li:has-text("no opinion")')
    const advice = await page.textContent('section[aria-label="Ways to allow it"]')
    expect(advice).to.contain("kubectl create role x\nkubectl create rolebinding x --user='\\u{202e}evil'")
    expect(advice).to.contain('RoleBinding shop/readers (Role readers). Missing: resource.')
    await takePicture(page, 'why')
    expect(await accessibilityFaults(opened, checker)).to.deep.equal([])
  })

  it('executes no script in object values, and stays usable', async () => {
    const opened = await enter()
    const { page } = opened
    await visit(opened, '#/object/core/v1/configmaps/default/hostile', '.legend')
    await page.waitForSelector('.line:has-text("alert(1)")')
    expect(
      await page.evaluate('document.querySelectorAll(".scroller script, .scroller img, .scroller iframe, .scroller svg").length'),
    ).to.equal(0)
    expect(Number(await page.evaluate('document.querySelectorAll("*").length'))).to.be.lessThan(3_000)
    await page.keyboard.press('Escape')
    await page.waitForSelector('text=hostile')
    await visit(opened, '#/objects/%3Cscript%3E/v1/%3Cimg%20src=x%3E', 'text=no such page')
    await visit(opened, '#/object/core/v1/configmaps/default/%3Cscript%3Ealert(9)%3C%2Fscript%3E', '[role=alert]')
    await visit(opened, '#/%E0%A4%A', 'text=There is no such page')
  })

  it('stays responsive with thousands of rows', async () => {
    for (let i = 0; i < 3_000; i += 100)
      await Promise.all(
        Array.from({ length: 100 }, (_, j) =>
          world.send('POST', '/api/v1/namespaces/kube-public/configmaps', { metadata: { name: `many-${i + j}` } }),
        ),
      )
    const opened = await enter()
    const { page } = opened
    await visit(opened, '#/objects/core/v1/configmaps?namespace=kube-public', 'text=live · 3,00')
    expect(Number(await page.evaluate('document.querySelectorAll("tbody tr").length'))).to.be.lessThan(150)
    await page.evaluate('document.querySelector(".scroller").scrollTop = 1e9')
    await page.waitForSelector('text=many-999')
    expect(Number(await page.evaluate('document.querySelectorAll("tbody tr").length'))).to.be.lessThan(150)
  })

  for (const colorScheme of ['light', 'dark'] as const)
    it(`has no accessibility faults in the ${colorScheme} theme`, async () => {
      const opened = await enter({ colorScheme })
      const faults: string[] = []
      for (const [name, [hash, selector]] of Object.entries(PAGES)) {
        await visit(opened, hash, selector)
        await takePicture(opened.page, `${name}-${colorScheme}`)
        faults.push(...(await accessibilityFaults(opened, checker)).map(fault => `${name}: ${fault}`))
      }
      expect(faults).to.deep.equal([])
    })

  it('fits a narrow screen', async () => {
    const opened = await enter({ width: 320, height: 640 })
    const { page } = opened
    const fault = {
      apiVersion: 'binnacle.dev/v1alpha1',
      kind: 'Fault',
      metadata: { name: 'narrow' },
      spec: { match: { users: ['nobody'] }, status: { code: 503 } },
    }
    await world.send('POST', '/apis/binnacle.dev/v1alpha1/faults', fault)
    for (const [name, [hash, selector]] of Object.entries(PAGES)) {
      await visit(opened, hash, selector)
      await takePicture(page, `${name}-narrow`)
      expect(await page.evaluate('document.documentElement.scrollWidth'), name).to.equal(320)
    }
    await visit(opened, '#/faults', 'td:has-text("narrow")')
    expect(await page.evaluate('document.documentElement.scrollWidth')).to.equal(320)
    await page.click('text=Menu')
    await page.waitForSelector('#kind-search')
    await takePicture(page, 'menu-narrow')
    expect(await accessibilityFaults(opened, checker)).to.deep.equal([])
  })

  it('focuses the rows after a search, so that keys select them', async () => {
    const opened = await enter()
    const { page } = opened
    await visit(opened, '#/objects/core/v1/configmaps', 'table.rows')
    for (const [word, resource] of [
      ['namespaces', 'namespaces'],
      ['ns', 'namespaces'],
      ['deploy', 'deployments'],
    ]) {
      await page.keyboard.press('/')
      await until(opened, "document.activeElement?.id === 'kind-search'")
      await page.keyboard.type(word ?? '')
      await page.keyboard.press('Enter')
      await until(opened, `location.hash.endsWith('/${resource}') && document.activeElement?.className === 'scroller'`)
      await page.keyboard.press('j')
      await page.waitForSelector('tr[aria-current=true]')
    }
    await page.keyboard.press('/')
    await page.keyboard.type('leases')
    await page.keyboard.press('Enter')
    await page.waitForSelector('.note:has-text("No Lease"), table.rows')
    await until(opened, "document.activeElement?.id !== 'kind-search'")
  })

  it('marks the current kind, and counts the objects of each kind in its group', async () => {
    const opened = await enter()
    const { page } = opened
    await page.waitForSelector('.kinds a[aria-current=page]:has-text("Namespace")')
    await visit(opened, '#/objects/apps/v1/deployments', '.kinds a[aria-current=page]:has-text("Deployment")')
    const titles = (await page.evaluate("[...document.querySelectorAll('.kinds h2')].map(each => each.innerText)")) as string[]
    expect(titles[0]).to.match(/^core\s+\d+$/)
    expect(titles.at(-1)).to.match(/^deprecated\s+2$/)
  })

  it('marks unhealthy objects, and shows the conditions of an object and its requests', async () => {
    await world.send(
      'PATCH',
      `${DEPLOYMENTS}/web/status`,
      { status: { conditions: [{ type: 'Available', status: 'False', reason: 'TooFew' }] } },
      'application/merge-patch+json',
    )
    const opened = await enter()
    const { page } = opened
    await visit(opened, '#/objects/apps/v1/deployments', 'tr.unhealthy:has-text("web")')
    await visit(opened, '#/object/apps/v1/deployments/default/web', '.conditions li:has-text("TooFew")')
    expect(await accessibilityFaults(opened, checker)).to.deep.equal([])
    await page.click('.page-head >> text=Requests')
    await page.waitForSelector('tbody tr:has-text("/deployments/web")')
    await page.waitForSelector('.status.live:has-text("live")')
  })

  it('shows its status at a width of 320 pixels', async () => {
    const opened = await enter({ width: 320, height: 600 })
    const { page } = opened
    for (const hash of ['#/objects/core/v1/configmaps', '#/requests', '#/objects/apiextensions.k8s.io/v1/customresourcedefinitions']) {
      await visit(opened, hash, '.page-head .status.live')
      const { x, width, y } = (await page.locator('.page-head .status').boundingBox()) ?? { x: -1, width: 0, y: -1 }
      expect(x, hash).to.be.at.least(0)
      expect(y, hash).to.be.within(0, 600)
      expect(x + width, hash).to.be.at.most(320)
    }
  })
})
