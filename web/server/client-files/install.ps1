# Installs the client keyferry, as this server has it:
#
#   irm ORIGIN/install.ps1 | iex
#
# It writes keyferry.exe to %LOCALAPPDATA%\Programs\keyferry. PowerShell parses the whole text before it runs any of it,
# so half a download does nothing.
& {
  $ErrorActionPreference = 'Stop'
  $ProgressPreference = 'SilentlyContinue'
  $origin = @ORIGIN@
  $version = @VERSION@
  # One line for each file: platform, name, SHA-256.
  $files = @FILES@

  if ($origin -notmatch '^(https://|http://(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$)') {
    throw "keyferry: this server has no https address: $origin. Ask the operator to set PUBLIC_URL."
  }
  if ($env:OS -ne 'Windows_NT') { throw "keyferry: this is not Windows. In a shell, run: curl -fsS $origin/install.sh | sh" }

  $processor = if ($env:PROCESSOR_ARCHITEW6432) { $env:PROCESSOR_ARCHITEW6432 } else { $env:PROCESSOR_ARCHITECTURE }
  $platform = if ($processor -eq 'ARM64') { 'windows-arm64' } else { 'windows-x64' }
  $name = $null
  foreach ($line in $files -split "`n") {
    $of, $file, $hash = $line.Trim() -split ' '
    if ($of -eq $platform) { $name = $file; $sum = $hash }
    if ($of -eq 'package') { $package = $file }
  }
  if (-not $name) {
    if ($package) {
      throw "keyferry: this server has no program for $platform. With Node.js 20.16 or newer, run: npm install --global $origin/client/$package"
    }
    throw "keyferry: this server has no client $version to hand out. Its operator can add it with: npm run release"
  }

  $folder = Join-Path $env:LOCALAPPDATA 'Programs\keyferry'
  $program = Join-Path $folder 'keyferry.exe'
  $work = Join-Path $folder ".install-$PID"
  New-Item -ItemType Directory -Force -Path $work | Out-Null
  try {
    $archive = Join-Path $work 'keyferry.exe.gz'
    $unpacked = Join-Path $work 'keyferry.exe'
    Write-Host "Fetching $name from $origin"
    [Net.ServicePointManager]::SecurityProtocol = [Net.ServicePointManager]::SecurityProtocol -bor [Net.SecurityProtocolType]::Tls12
    Invoke-WebRequest -UseBasicParsing -MaximumRedirection 0 -Uri "$origin/client/$name" -OutFile $archive
    $found = (Get-FileHash -Algorithm SHA256 -Path $archive).Hash.ToLowerInvariant()
    if ($found -ne $sum) {
      throw "keyferry: $name has the wrong checksum; nothing was installed. Expected $sum, found $found."
    }
    $from = [IO.File]::OpenRead($archive)
    $to = [IO.File]::Create($unpacked)
    $gzip = New-Object IO.Compression.GzipStream($from, [IO.Compression.CompressionMode]::Decompress)
    try { $gzip.CopyTo($to) } finally { $gzip.Dispose(); $to.Dispose(); $from.Dispose() }
    if ((& $unpacked --version) -ne $version) { throw "keyferry: $name does not start on this system." }
    # Windows renames a program that runs, but does not replace it.
    if (Test-Path $program) {
      Get-ChildItem $folder -Filter 'keyferry.old-*' | Remove-Item -Force -ErrorAction SilentlyContinue
      Move-Item -Path $program -Destination (Join-Path $folder "keyferry.old-$PID")
    }
    Move-Item -Path $unpacked -Destination $program
  } finally {
    Remove-Item -Recurse -Force -Path $work
  }

  Write-Host "Installed keyferry ${version}: $program"
  if (($env:Path -split ';') -notcontains $folder) {
    Write-Host "$folder is not in your PATH. To add it, run this line and open a new terminal:"
    Write-Host "  [Environment]::SetEnvironmentVariable('Path', [Environment]::GetEnvironmentVariable('Path', 'User') + ';$folder', 'User')"
  }
  Write-Host "Next, in your project: keyferry init --server $origin"
}
