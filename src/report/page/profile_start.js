window.tilewright = profilePage(JSON.parse(document.getElementById("data").textContent));
document.documentElement.dataset.ready = String(Math.round(performance.now()));
