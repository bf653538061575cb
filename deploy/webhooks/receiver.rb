# A receiver of Keyferry's webhooks for Ruby 3 and newer, without gems.
# WEBHOOK_SECRET=whsec_... PORT=8080 ruby receiver.rb
require 'json'
require 'openssl'
require 'set'
require 'socket'

SECRET = ENV.fetch('WEBHOOK_SECRET').delete_prefix('whsec_').unpack1('m')
TOLERANCE_SECONDS = 300
MAX_BYTES = 256 * 1024
SEEN = Set.new
LOCK = Mutex.new

def genuine?(headers, body)
  id, timestamp = headers.values_at('webhook-id', 'webhook-timestamp')
  return false unless timestamp.to_s.match?(/\A\d+\z/)
  return false if (Time.now.to_i - timestamp.to_i).abs > TOLERANCE_SECONDS

  expected = "v1,#{[OpenSSL::HMAC.digest('SHA256', SECRET, "#{id}.#{timestamp}.#{body}")].pack('m0')}"
  headers['webhook-signature'].to_s.split.any? { |given| OpenSSL.secure_compare(expected, given) }
end

def receive(id, message)
  return unless LOCK.synchronize { SEEN.add?(id) } # A message can come twice.

  data = message['data']
  keys = (data['keys'] || []).map { |key| key['name'] }
  puts [message['type'], data.dig('bundle', 'name'), *keys, data['url']].compact.join(' ')
end

def headers_from(client)
  lines = client.each_line("\r\n", chomp: true).take_while { |line| !line.empty? }
  lines.drop(1).to_h { |line| line.split(/:\s*/, 2).then { |name, value| [name.downcase, value.to_s] } }
end

# Answers before it works: work that takes longer than 15 s would count as a failure.
def serve(client)
  headers = headers_from(client)
  length = headers['content-length'].to_i
  body = length <= MAX_BYTES ? client.read(length).to_s : ''
  genuine = genuine?(headers, body)
  status = genuine ? '204 No Content' : '401 Unauthorized'
  client.write "HTTP/1.1 #{status}\r\nconnection: close\r\n\r\n"
  client.close
  receive(headers['webhook-id'], JSON.parse(body)) if genuine
rescue JSON::JSONError, TypeError, NoMethodError => e
  warn "unexpected message: #{e.class}" # Later versions of Keyferry may send other messages.
end

$stdout.sync = true
server = TCPServer.new('127.0.0.1', ENV.fetch('PORT', '8080').to_i)
puts "ready #{server.addr[1]}"
loop { Thread.new(server.accept) { |client| serve(client) } }
