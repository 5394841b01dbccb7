import {load} from 'js-yaml'; import {readFileSync} from 'fs'
for (const f of ['80-printing','85-defaults','91-validation-groups']) for (const c of load(readFileSync(`/work/shared/probe/expectations/${f}.yaml`,'utf8'))) {
 const s=JSON.stringify(c); if (/webhookconf|admissionpol|flowschema|prioritylevelc|apiservices/.test(s)) console.log(f,c.name,'|',c.why,'|',s.length, process.argv[2]?JSON.stringify(c.steps):'')
}
