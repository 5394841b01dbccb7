/** Bodies of jobs and cron jobs that are valid; what is given is put over the spec. */
export const template = (spec: object = {}, metadata?: object): object => ({
  ...(metadata && { metadata }),
  spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'registry.example/app:1' }], ...spec },
})

export const job = (spec: object = {}): { spec: object } => ({ spec: { template: template(), ...spec } })

export const cronJob = (spec: object = {}, jobSpec: object = {}): { spec: object } => ({
  spec: { schedule: '5 * * * ?', jobTemplate: { spec: { template: template(), ...jobSpec } }, ...spec },
})
