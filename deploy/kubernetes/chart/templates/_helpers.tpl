{{- define "flipd.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" }}
{{- end }}

{{- define "flipd.fullname" -}}
{{- if .Values.fullnameOverride }}
{{- .Values.fullnameOverride | trunc 50 | trimSuffix "-" }}
{{- else if contains (include "flipd.name" .) .Release.Name }}
{{- .Release.Name | trunc 50 | trimSuffix "-" }}
{{- else }}
{{- printf "%s-%s" .Release.Name (include "flipd.name" .) | trunc 50 | trimSuffix "-" }}
{{- end }}
{{- end }}

{{/* What finds the Pods of this release; it must never change. */}}
{{- define "flipd.selector" -}}
app.kubernetes.io/name: {{ include "flipd.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/component: server
{{- end }}

{{- define "flipd.labels" -}}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{ include "flipd.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}

{{- define "flipd.image" -}}
{{- with .Values.image }}
{{- if .digest }}{{ .repository }}@{{ .digest }}{{ else }}{{ .repository }}:{{ .tag | default $.Chart.AppVersion }}{{ end }}
{{- end }}
{{- end }}

{{- define "flipd.serviceAccount" -}}
{{- if .Values.serviceAccount.create }}
{{- .Values.serviceAccount.name | default (include "flipd.fullname" .) }}
{{- else }}
{{- .Values.serviceAccount.name | default "default" }}
{{- end }}
{{- end }}

{{- define "flipd.tlsSecret" -}}
{{- if .Values.tls.certManager.enabled }}
{{- .Values.tls.secretName | default (printf "%s-tls" (include "flipd.fullname" .)) }}
{{- else }}
{{- required "tls.enabled wants tls.secretName or tls.certManager.enabled" .Values.tls.secretName }}
{{- end }}
{{- end }}

{{/* preStop, drain and exit, and 5 s for the process to end. */}}
{{- define "flipd.grace" -}}
{{- with .Values.shutdown }}{{ add .preStop .drain .exit 5 }}{{ end }}
{{- end }}

{{- define "flipd.modelsFile" -}}
{{ dict "models" .Values.models | toPrettyJson }}
{{- end }}

{{/* The names under which other Pods know the Service. */}}
{{- define "flipd.dnsNames" -}}
{{- $name := include "flipd.fullname" . }}
- {{ $name }}
- {{ $name }}.{{ .Release.Namespace }}
- {{ $name }}.{{ .Release.Namespace }}.svc
- {{ $name }}.{{ .Release.Namespace }}.svc.cluster.local
{{- with .Values.tls.certManager.dnsNames }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{- define "flipd.podSecurity" -}}
runAsNonRoot: true
runAsUser: 65532
runAsGroup: 65532
fsGroup: 65532
fsGroupChangePolicy: OnRootMismatch
seccompProfile:
  type: RuntimeDefault
{{- end }}

{{- define "flipd.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end }}

{{/* The options of the daemon, one a line. */}}
{{- define "flipd.args" -}}
{{- with .Values }}
- {{ printf "--http-address=%s" .address | quote }}
- --http-port=8000
- --admin-port=8002
- --drain-delay={{ .shutdown.drain }}s
- --exit-timeout-secs={{ .shutdown.exit }}s
{{- if .models }}
- --models=/etc/flipd/models/models.json
{{- end }}
{{- if .tls.enabled }}
- --tls-cert=/etc/flipd/tls/tls.crt
- --tls-key=/etc/flipd/tls/tls.key
{{- if .tls.clientCASecret }}
- --tls-client-ca=/etc/flipd/client-ca/ca.crt
{{- end }}
{{- end }}
{{- range $i, $token := .tokens }}
- {{ printf "--http-restricted-api=%s:%s=@/etc/flipd/tokens/%d/token" (join "," .apis) .header $i | quote }}
{{- end }}
{{- range $name, $value := .options }}
- {{ printf "--%s=%v" $name $value | quote }}
{{- end }}
{{- end }}
{{- end }}
