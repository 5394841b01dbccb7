import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { openInProcess } from '../support/in-process-server.ts'
import { eventually } from '../support/waiting.ts'
import { WebhookServer } from '../support/webhooks/webhook-server.ts'

const POD = (name: string, image: string) => ({ metadata: { name }, spec: { containers: [{ name: 'c', image }] } })

describe('image policy webhook of a server', () => {
  it('allows and rejects pods', async () => {
    const hook = await WebhookServer.start()
    hook.acts.set('/images', ({ spec }, res) => {
      const [image = ''] = (spec as { containers: { image: string }[] }).containers.map(each => each.image)
      if (image === 'broken') return void res.writeHead(404).end()
      return { kind: 'ImageReview', apiVersion: 'imagepolicy.k8s.io/v1alpha1', status: { allowed: image !== 'bad', reason: 'bad image' } }
    })
    const cluster = `{server: "https://127.0.0.1:${hook.port}/images", certificate-authority-data: ${hook.caBundle}}`
    const directory = mkdtempSync(join(tmpdir(), 'binnacle-images-'))
    const images = join(directory, 'images')
    writeFileSync(images, `current-context: a\ncontexts: [{name: a, context: {cluster: c}}]\nclusters: [{name: c, cluster: ${cluster}}]\n`)
    const policy = `{imagePolicy: {kubeConfigFile: ${images}, defaultAllow: true}}`
    const server = await openInProcess(
      [
        '--enable-admission-plugins=ImagePolicyWebhook',
        '--disable-admission-plugins=ServiceAccount',
        '--admission-control-config-file=DIR/admission',
      ],
      {
        admission: `apiVersion: apiserver.config.k8s.io/v1\nkind: AdmissionConfiguration\nplugins: [{name: ImagePolicyWebhook, configuration: ${policy}}]\n`,
      },
    )
    await eventually('there is a namespace', async () => (await server.send('/api/v1/namespaces/default')).status === 200)
    const create = (name: string, image: string) =>
      server.send('/api/v1/namespaces/default/pods', { method: 'POST', body: POD(name, image) })
    expect((await create('good', 'good')).status).to.equal(201)
    const refused = await create('bad', 'bad')
    expect([refused.status, JSON.parse(refused.text).message]).to.deep.equal([
      403,
      'pods "bad" is forbidden: image policy webhook backend denied one or more images: bad image',
    ])
    expect((await create('open', 'broken')).status).to.equal(201)
    const stored = JSON.parse((await server.send('/api/v1/namespaces/default/pods/open')).text)
    expect(stored.metadata.annotations).to.deep.equal({ 'alpha.image-policy.k8s.io/failed-open': 'true' })
    await server.stop()
    server.remove()
    hook.close()
    rmSync(directory, { recursive: true })
  })
})
