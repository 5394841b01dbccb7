import type { Script } from './script.ts'

export const discovering: readonly Script[] = [
  {
    name: 'describes the server',
    steps: [
      ['version', /Server Version: .*v1\.33/],
      ['cluster-info', /Kubernetes control plane is running at https:\/\/127\.0\.0\.1/],
      ['get --raw /healthz', 'ok'],
      ['get --raw /readyz?verbose', /\[\+\]ping ok/, /readyz check passed/],
      ['get --raw /version', /"gitVersion": "v1\.33/],
      ['get --raw /api/v1/namespaces/{ns}', /"kind":"Namespace"/],
      { run: 'get --raw /nowhere', prints: [/NotFound|could not find the requested resource/], fails: true },
    ],
  },
  {
    name: 'lists versions and resources',
    steps: [
      ['api-versions', /^apps\/v1$/m, /^coordination\.k8s\.io\/v1$/m, /^networking\.k8s\.io\/v1$/m, /^v1$/m],
      [
        'api-resources',
        /^pods +po +v1 +true +Pod$/m,
        /^deployments +deploy +apps\/v1 +true +Deployment$/m,
        /^nodes +no +v1 +false +Node$/m,
      ],
      ['api-resources --namespaced=false -o name', /^namespaces$/m, /^persistentvolumes$/m],
      ['api-resources --api-group=apps -o name', /^daemonsets\.apps$/m, /^statefulsets\.apps$/m],
      [
        'api-resources --verbs=list,watch -o wide',
        /^configmaps +cm +v1 +true +ConfigMap +create,delete,deletecollection,get,list,patch,update,watch/m,
      ],
      ['api-resources --categories=all -o name', /^pods$/m, /^services$/m, /^replicationcontrollers$/m],
    ],
  },
  {
    name: 'explains fields',
    steps: [
      ['explain pods', /KIND: +Pod/, /VERSION: +v1/, /spec\s+<PodSpec>/],
      ['explain pod.spec.containers.ports', /containerPort\s+<integer>/, /required/],
      ['explain deployment.spec --recursive', /maxUnavailable/, /matchLabels/],
      ['explain services.spec.clusterIP', /clusterIP <string>/],
      ['explain pods.spec.restartPolicy', /DESCRIPTION:\s+Action of the kubelet when a container ends/],
      ['explain statefulsets --api-version=apps/v1', /KIND: +StatefulSet/],
      { run: 'explain pods.spec.nothing', prints: [/field "nothing" does not exist|field nothing does not exist/], fails: true },
    ],
  },
  {
    name: 'reports kinds that are not served',
    steps: [
      { run: 'get gizmos', prints: [/the server doesn't have a resource type "gizmos"/], fails: true },
      { run: 'get configmap nothing', prints: [/Error from server \(NotFound\): configmaps "nothing" not found/], fails: true },
      {
        run: 'create namespace Upper',
        prints: [/metadata.name: Invalid value: "Upper": a lowercase RFC 1123 label must consist of/],
        fails: true,
      },
      { run: 'create configmap x -n nowhere', prints: [/namespaces "nowhere" not found/], fails: true },
    ],
  },
]
